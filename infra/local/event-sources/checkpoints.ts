import { readFileSync } from 'node:fs';
import * as z from 'zod';
import { replaceFile } from '../data-folder.ts';

/** How far each mapping has come in each shard: the sequence number of the last record done with. */
export interface Checkpoints {
  readonly get: (shard: string) => string | undefined;
  readonly set: (shard: string, sequence: string) => void;
}

/**
 * Checkpoints in one file, written after processing: a crash repeats the batch that was being processed, as on AWS, and nothing else.
 * An unreadable file is as good as none: everything still in the stream is delivered again.
 */
export function openCheckpoints(file: string): Checkpoints {
  const positions = new Map(Object.entries(read(file)));
  return {
    get: (shard) => positions.get(shard),
    set: (shard, sequence) => {
      if (positions.get(shard) === sequence) return;
      positions.set(shard, sequence);
      replaceFile(file, `${JSON.stringify(Object.fromEntries(positions), null, 2)}\n`);
    },
  };
}

function read(file: string): Record<string, string> {
  try {
    return z.record(z.string(), z.string()).parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    return {};
  }
}
