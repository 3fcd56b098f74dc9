import { readdirSync, readFileSync } from 'node:fs';

/** What Linux says about processes (`proc(5)`). */

const nanosecondsAMs = 1_000_000;

/** Computing time of a process since its start, all its living threads, milliseconds. */
export function cpuMs(pid: number): number {
  return [...threadsOf(pid)].reduce((sum, [, ms]) => sum + ms, 0);
}

/** Computing time of each thread of a process, milliseconds, by its number. */
export function threadsOf(pid: number): ReadonlyMap<number, number> {
  const threads = readdirSync(`/proc/${pid}/task`).map((thread): [number, number] => {
    const text = readIfThere(`/proc/${pid}/task/${thread}/schedstat`);
    return [Number(thread), Number(text.split(' ')[0]) / nanosecondsAMs];
  });
  return new Map(threads);
}

/** Name of a thread, of which Linux keeps fifteen characters. */
export function threadName(pid: number, thread: number): string {
  return readIfThere(`/proc/${pid}/task/${thread}/comm`).trim();
}

/** A process and everything that it started, directly or not. */
export function familyOf(pid: number): readonly number[] {
  const children = readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
    readIfThere(`/proc/${pid}/task/${thread}/children`).split(' ').filter(Boolean).map(Number),
  );
  return [pid, ...children.flatMap(familyOf)];
}

/** Memory that is held by processes at the moment, megabytes. What they share counts for each. */
export function residentMb(pids: readonly number[]): number {
  const pages = pids.map((pid) => Number(readIfThere(`/proc/${pid}/statm`).split(' ')[1] ?? 0));
  return (pages.reduce((sum, one) => sum + one, 0) * 4096) / 1_000_000;
}

/** The first process among these that runs such a program, with a parameter if one is named. */
export function findProcess(pids: readonly number[], program: string, parameter?: string): number | undefined {
  return pids.find((pid) => {
    const [command = '', ...parameters] = readIfThere(`/proc/${pid}/cmdline`).split('\0');
    return command.endsWith(`/${program}`) && (parameter === undefined || parameters.includes(parameter));
  });
}

/** A thread may end between its listing and the look at it. */
function readIfThere(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
