/** The process table of the whole machine, for evidence. A lister that shows nothing has failed: there are processes. */
import type psList from 'ps-list';

/**
 * @param list sets its own locale and width (`LC_ALL=C`, `ps ww`): neither of ours changes what it says.
 * @throws when it lists nothing: nobody may read "no processes" out of that.
 */
export async function machineTable(list: typeof psList): Promise<Awaited<ReturnType<typeof psList>>> {
  const rows = await list();
  if (rows.length === 0) throw new Error('the process lister listed no process at all');
  return rows;
}
