import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Variable of the environment by which a run finds every process that it started, however deep.
 */
export const markVariable = 'EMULATOR_RUN';

/** A socket of /proc/net/tcp or /proc/net/tcp6 that waits for connections. */
type Listener = { readonly address: string; readonly port: number; readonly inode: string };

type ProcessListener = Listener & { readonly pid: number };

/** State of a socket that listens (include/net/tcp_states.h of Linux). */
const listening = '0A';
const endWithinMs = 15_000;

/** Reads the listening sockets out of the text of /proc/net/tcp or /proc/net/tcp6 (proc_pid_net(5)). */
export function readListeners(table: string): readonly Listener[] {
  return table.split('\n').flatMap((line) => {
    const [, local, , state, , , , , , inode] = line.trim().split(/\s+/u);
    const [, words = '', port = ''] = /^([0-9A-F]{8}|[0-9A-F]{32}):([0-9A-F]{4})$/u.exec(local ?? '') ?? [];
    if (words === '' || state !== listening || inode === undefined) return [];
    return [{ address: readAddress(words), port: Number.parseInt(port, 16), inode }];
  });
}

/**
 * Words of four bytes, each with its lowest byte first, as `127.0.0.1`, also where IPv6 carries it, or as eight groups.
 */
function readAddress(words: string): string {
  const bytes = (words.match(/.{8}/gu) ?? []).flatMap((word) => (word.match(/../gu) ?? []).reverse());
  const carriesIpv4 = bytes.slice(0, 12).join('') === `${'00'.repeat(10)}FFFF`;
  if (bytes.length === 4 || carriesIpv4) {
    return bytes
      .slice(-4)
      .map((byte) => Number.parseInt(byte, 16))
      .join('.');
  }
  return (bytes.join('').toLowerCase().match(/.{4}/gu) ?? []).join(':');
}

/** Whether only this machine can connect to the address: 127.0.0.0/8 and ::1. */
export function isLoopback(address: string): boolean {
  return /^(?:127\.\d+\.\d+\.\d+|(?:0000:){7}0001)$/u.test(address);
}

/** Processes of this user whose environment carries the mark. */
export function processesWith(mark: string): readonly number[] {
  const entry = `${markVariable}=${mark}`;
  return readdirSync('/proc')
    .filter((name) => /^\d+$/u.test(name))
    .filter((pid) =>
      readIfThere(() => readFileSync(`/proc/${pid}/environ`, 'utf8'), '')
        .split('\0')
        .includes(entry),
    )
    .map(Number);
}

/** Everything at which the processes with the mark wait for connections. */
export function listenersOf(mark: string): readonly ProcessListener[] {
  const owners = new Map(processesWith(mark).flatMap((pid) => socketsOf(pid).map((inode) => [inode, pid] as const)));
  const tables = ['/proc/net/tcp', '/proc/net/tcp6'].map((file) => readIfThere(() => readFileSync(file, 'utf8'), ''));
  return tables.flatMap(readListeners).flatMap((listener) => {
    const pid = owners.get(listener.inode);
    return pid === undefined ? [] : [{ ...listener, pid }];
  });
}

/**
 * Holds a run to loopback: every process that reaches an emulator can use it.
 *
 * @returns What its processes listen at.
 * @throws Error when one listens at another address, or none listens at all, so that nothing was checked.
 */
export function checkLoopback(mark: string): readonly ProcessListener[] {
  const listeners = listenersOf(mark);
  if (listeners.length === 0) throw new Error('No process of this run listens: its addresses cannot be checked.');
  const open = listeners.filter(({ address }) => !isLoopback(address));
  if (open.length === 0) return listeners;
  const named = open.map(({ address, port, pid }) => `${address} port ${port} (process ${pid})`);
  throw new Error(`The emulator listens beyond this machine: ${named.join(', ')}.`);
}

/**
 * Waits until no process with the mark is left; ends those that stay.
 *
 * @param withinMs How long they may take to end by themselves.
 * @throws Error when some had to be ended: stopping is then not what it should be.
 */
export async function checkNoneLeft(mark: string, withinMs = endWithinMs): Promise<void> {
  const deadline = Date.now() + withinMs;
  while (processesWith(mark).length > 0 && Date.now() < deadline) await sleep(100);
  const left = processesWith(mark);
  if (left.length === 0) return;
  for (const pid of left) readIfThere(() => process.kill(pid, 'SIGKILL'), false);
  throw new Error(`Processes of the emulator were left and had to be killed: ${left.join(', ')}.`);
}

function socketsOf(pid: number): readonly string[] {
  const folder = `/proc/${pid}/fd`;
  return readIfThere(() => readdirSync(folder), []).flatMap((descriptor) => {
    const target = readIfThere(() => readlinkSync(`${folder}/${descriptor}`), '');
    const [, inode] = /^socket:\[(\d+)\]$/u.exec(target) ?? [];
    return inode === undefined ? [] : [inode];
  });
}

/** Processes come and go while they are read, and those of others cannot be read. */
function readIfThere<T>(read: () => T, otherwise: T): T {
  try {
    return read();
  } catch {
    return otherwise;
  }
}
