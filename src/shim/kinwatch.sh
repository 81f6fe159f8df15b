#!/bin/sh
# Kinwatch's command. For `run` it is the shim: what an MCP client launches in place of the server. It starts
# the supervisor in a session of its own on the same stdin, stdout and stderr, waits, and returns its status.
# A client's SIGKILL hits this shell; the supervisor notices and ends the family in order.
#
# Every path below is absolute and was written when this file was made; nothing is looked up in the client's
# PATH, and the supervisor starts from an empty environment. It reads the client's as data, from /proc.
node=@NODE@
dist=@DIST@
env=@ENV@
setsid=@SETSID@
electron=@ELECTRON@

# Starts a program of Kinwatch's with nothing but what it must know.
own() {
  exec "$env" -i ${electron:+ELECTRON_RUN_AS_NODE=1} ${KINWATCH_HOME:+KINWATCH_HOME="$KINWATCH_HOME"} \
    ${KINWATCH_WATCHER:+KINWATCH_WATCHER="$KINWATCH_WATCHER"} "$@"
}

# The desk must be nobody's child, least of all the supervisor's, which adopts orphans: this forks a process that
# forks the desk and ends. What keeps a desk from starting is said on our stderr.
start_desk() {
  ( (own "$node" "$dist/cli.js" desk </dev/null >/dev/null) & )
}

case "${1-}" in
  run) shift ;;
  *)
    own ${TERM:+TERM="$TERM"} ${LANG:+LANG="$LANG"} ${NO_COLOR:+NO_COLOR="$NO_COLOR"} \
      "$node" "$dist/cli.js" "$@"
    ;;
esac

supervisor=
stop() { [ -n "$supervisor" ] && kill -s "$1" "$supervisor" 2>/dev/null; }
trap start_desk USR1
trap 'stop TERM' TERM
trap 'stop INT' INT
trap 'stop HUP' HUP

# A background job's stdin would be /dev/null: it gets a duplicate of ours, which we then close, so that the
# client's closing of it is seen by the supervisor alone.
exec 3<&0
(own KINWATCH_SHIM="$$" "$setsid" "$node" "$dist/supervisor.js" "$@" <&3 3<&-) &
supervisor=$!
exec 0</dev/null 3<&-

# A trapped signal interrupts wait; the supervisor is still there then.
while :; do
  wait "$supervisor"
  status=$?
  [ "$status" -gt 128 ] && kill -0 "$supervisor" 2>/dev/null && continue
  exit "$status"
done
