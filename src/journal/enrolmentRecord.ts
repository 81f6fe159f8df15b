/** Whether any reviewer was ever enrolled here, by the journal's word. Read only when no token hash is found. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const mark = Buffer.from('"body":{"kind":"reviewer enrolled"');

/**
 * @param directory the folder of record files; a missing one holds no record.
 * @throws the system's error when a file cannot be read: in doubt nobody enrols.
 */
export function hasEnrolmentRecord(directory: string): boolean {
  let names: string[];
  try {
    names = readdirSync(directory);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
  // A family's own text stands inside JSON strings, where every quotation mark is escaped: it cannot forge this.
  return names.some((name) => name.endsWith('.jsonl') && readFileSync(join(directory, name)).includes(mark));
}
