/** What changed while a session ran in places that run something later, in words. */

/** Kinds of places, with the word for several of them. */
export const persistencePlaces = {
  'user unit': 'user units',
  'D-Bus service': 'D-Bus services',
  'autostart entry': 'autostart entries',
  'launch agent': 'launch agents',
  'environment.d file': 'environment.d files',
  crontab: 'crontabs',
  'at job': 'at jobs',
  'shell start-up file': 'shell start-up files',
  'authorized_keys file': 'authorized_keys files',
  'ssh configuration': 'ssh configurations',
  'git configuration': 'git configurations',
  'git hook': 'git hooks',
  'own program': 'own programs',
  'Python start-up file': 'Python start-up files',
  'tool start-up file': 'tool start-up files',
  'editor setting': 'editor settings',
  'editor task': 'editor tasks',
  'editor extension': 'editor extensions',
  'MCP configuration': 'MCP configurations',
  'agent configuration': 'agent configurations',
} as const;

export type PersistencePlace = keyof typeof persistencePlaces;

export const persistenceKinds = Object.keys(persistencePlaces) as [PersistencePlace, ...PersistencePlace[]];

export interface PersistenceChange {
  readonly place: PersistencePlace;
  /** Absolute path, or what stands for one (`crontab -l`, `at job 7`). */
  readonly path: string;
  readonly change: 'appeared' | 'changed' | 'disappeared';
}

export interface StayedBehind {
  /** `1 user unit appeared`, `2 MCP configurations changed`. */
  readonly words: string;
  readonly paths: readonly string[];
}

/** Grouped by kind and change, in the order of the table; what appeared comes first. */
export function stayedBehind(changes: readonly PersistenceChange[]): StayedBehind[] {
  return (['appeared', 'changed', 'disappeared'] as const).flatMap((change) =>
    persistenceKinds.flatMap((place) => {
      const paths = changes
        .filter((each) => each.place === place && each.change === change)
        .map(({ path }) => path);
      if (paths.length === 0) return [];
      const name = paths.length === 1 ? place : persistencePlaces[place];
      return [{ words: `${paths.length} ${name} ${change}`, paths }];
    }),
  );
}
