/** Whether a value reads like drawn letters: a token without a known prefix. Pure arithmetic on its characters. */

/** Names whose values are drawn letters and no secret. */
const namesDigest =
  /(?:^|_)(?:sha\d*|md5|hash|digest|checksum|commit|revision|rev|ref|oid|etag|fingerprint|integrity|build|trace|traceparent|span|request|run|job|correlation|invocation|boot|machine|instance|image|container|node|pod|version|tag|uuid|guid|id|ids)(?:_|$)/iu;

const uuid = /^\{?[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}\}?$/iu;

/** Bits of entropy a character, from how often each stands in the text. */
function bitsPerCharacter(text: string): number {
  const counts = new Map<string, number>();
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / text.length) * Math.log2(count / text.length);
  return bits;
}

/** How often letters change to digits, or small to large, between neighbours. Names do so at their seams only. */
function changesOfKind(text: string): number {
  let changes = 0;
  let before = '';
  for (const character of text) {
    const kind = /\d/u.test(character)
      ? 'digit'
      : /[a-z]/u.test(character)
        ? 'small'
        : /[A-Z]/u.test(character)
          ? 'large'
          : 'other';
    if (before !== '' && kind !== before) changes += 1;
    before = kind;
  }
  return changes / Math.max(1, text.length - 1);
}

/** The commonest pairs of letters in English: two of three pairs in words are among these, one of six when drawn. */
const commonPairs: ReadonlySet<string> = new Set(
  (
    'th he in er an re on at en nd ti es or te of ed is it al ar st to nt ng se ha as ou io le ve co me de hi ri ro ic ' +
    'ne ea ra ce li ch ll be ma si om ur ca el ta la ns di fo ho pe ec pr no ct us ac ot il tr ly nc et ut ss so rs un ' +
    'lo wa ge ie wh ee wi em ad ol rt po we na ul ni ts mo ow pa im mi ai sh ir su id os iv ia am fi ci vi pl ig tu ev ' +
    'ld ry mp fe bl ab gh ty op wo sa ay ex ke ui bu ap ag ck'
  ).split(' '),
);

/** Share of letter pairs that words are made of; 0 when there are too few letters to tell. */
function wordLikeness(text: string): number {
  let pairs = 0;
  let common = 0;
  for (let index = 1; index < text.length; index += 1) {
    const pair = text.slice(index - 1, index + 1).toLowerCase();
    if (!/^[a-z]{2}$/u.test(pair)) continue;
    pairs += 1;
    if (commonPairs.has(pair)) common += 1;
  }
  return pairs < 6 ? 0 : common / pairs;
}

/** @param name of the variable: an identifier's or a digest's value is random and no secret. */
export function looksRandom(name: string, value: string): boolean {
  if (namesDigest.test(name) || uuid.test(value)) return false;
  if (value.length < 20 || value.length > 4096 || !/^[\w+/=.~:%!@#$^&*-]+$/u.test(value)) return false;
  // A folder, an address, an identifier with its parts: judged part by part.
  const parts = value.split(/[/.:@=,-]+|(?<=[a-z])_|_(?=[a-z])/u).filter((part) => part.length >= 20);
  // Folders of package stores are named by digests, in small letters; base64 may begin with a slash.
  if (isPath(value)) return parts.some((part) => isOfThreeKinds(part) && isDrawn(part));
  return parts.some((part) => isDrawn(part)) || (parts.length === 0 && isDrawnAcross(value));
}

function isPath(value: string): boolean {
  return (
    /^(?:~|\.{1,2})?\/(?:[\w.@+~-]+(?:\/|:|$))+/u.test(value) || /^[a-z][a-z+.-]{1,20}:\/\//iu.test(value)
  );
}

function isOfThreeKinds(part: string): boolean {
  return /\d\D+\d/u.test(part) && /[a-z]/u.test(part) && /[A-Z]/u.test(part);
}

function isDrawn(part: string): boolean {
  if (/^[\da-f]+$/iu.test(part))
    return part.length >= 32 && /\d/u.test(part) && /[a-f]/iu.test(part) && bitsPerCharacter(part) > 3;
  if (!/\d/u.test(part) && !(/[a-z]/u.test(part) && /[A-Z]/u.test(part))) return false;
  const changes = changesOfKind(part);
  if (bitsPerCharacter(part) < 3.5 || changes < 0.1) return false;
  const groupsOfDigits = part.match(/\d+/gu)?.length ?? 0;
  if (groupsOfDigits >= 5 && changes >= 0.3) return true;
  return wordLikeness(part) < 0.5 || (changes >= 0.35 && isOfThreeKinds(part));
}

/** Base64 with its own marks inside: the parts are short, the whole is not. */
function isDrawnAcross(value: string): boolean {
  return (
    value.length >= 32 &&
    /\d/u.test(value) &&
    /[a-z]/u.test(value) &&
    /[A-Z]/u.test(value) &&
    bitsPerCharacter(value) >= 4.3 &&
    changesOfKind(value) >= 0.4
  );
}
