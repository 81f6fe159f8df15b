/** Every command of the manifest, once. A test checks this table against `package.json`. */

export const commandIds = [
  'kinwatch.showPanel',
  'kinwatch.startServer',
  'kinwatch.containSession',
  'kinwatch.containAll',
  'kinwatch.stopProcess',
  'kinwatch.openServers',
] as const;

export type CommandId = (typeof commandIds)[number];

/** One handler for each command; a missing one does not compile. */
export type Commands = { readonly [Id in CommandId]: (argument?: unknown) => unknown };

export const viewId = 'kinwatch.panel';
export const providerId = 'kinwatch.servers';
export const notificationsSetting = { section: 'kinwatch', name: 'notifications' } as const;
