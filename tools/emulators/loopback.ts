import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import ipaddr from 'ipaddr.js';
import { poll } from '@banking-order/partner-tools';

/** All processes of a run, and those that they start, carry this variable. */
export const markVariable = 'EMULATOR_RUN';

type Listener = { readonly address: string; readonly port: number; readonly inode: string };

/** TCP_LISTEN of Linux (include/net/tcp_states.h). */
const listening = '0A';
const endWithinMs = 60_000;

/** The listening sockets of /proc/net/tcp or /proc/net/tcp6 (proc_pid_net(5)). */
export function readListeners(table: string): readonly Listener[] {
  return table.split('\n').flatMap((line) => {
    const [, local, , state, , , , , , inode] = line.trim().split(/\s+/u);
    const [, address = '', port = ''] = /^([0-9A-F]{8}|[0-9A-F]{32}):([0-9A-F]{4})$/u.exec(local ?? '') ?? [];
    if (address === '' || state !== listening || inode === undefined) return [];
    return [{ address: readAddress(address), port: Number.parseInt(port, 16), inode }];
  });
}

/** Reads an address: the kernel writes words of four bytes, the lowest byte first. IPv4 in IPv6 becomes plain IPv4. */
function readAddress(address: string): string {
  const bytes = (address.match(/.{8}/gu) ?? []).flatMap((word) => [...Buffer.from(word, 'hex').reverse()]);
  return ipaddr.process(ipaddr.fromByteArray(bytes).toString()).toString();
}

/** Whether only this machine can connect to the address. */
export function isLoopback(address: string): boolean {
  return ipaddr.parse(address).range() === 'loopback';
}

/** Processes with the mark in their environment. */
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

/** The listening sockets of processes with the mark. */
export function listenersOf(mark: string): readonly (Listener & { readonly pid: number })[] {
  const owners = new Map(processesWith(mark).flatMap((pid) => socketsOf(pid).map((inode) => [inode, pid] as const)));
  const tables = ['/proc/net/tcp', '/proc/net/tcp6'].map((file) => readIfThere(() => readFileSync(file, 'utf8'), ''));
  return tables.flatMap(readListeners).flatMap((listener) => {
    const pid = owners.get(listener.inode);
    return pid === undefined ? [] : [{ ...listener, pid }];
  });
}

/**
 * Checks that a run listens only on loopback addresses, because every process that reaches an emulator can use it.
 * @throws Error when a process of the run listens on another address, or none listens at all.
 */
export function checkLoopback(mark: string): ReturnType<typeof listenersOf> {
  const listeners = listenersOf(mark);
  if (listeners.length === 0)
    throw new Error('Cannot check the addresses of the emulator: no process of this run listens.');
  const open = listeners.filter(({ address }) => !isLoopback(address));
  if (open.length === 0) return listeners;
  const named = open.map(({ address, port, pid }) => `${address} port ${port} (process ${pid})`);
  throw new Error(`The emulator listens on addresses that other machines reach: ${named.join(', ')}.`);
}

/** Waits until no process with the mark is left. @throws Error when some are, after it killed them. */
export async function checkNoneLeft(mark: string, withinMs = endWithinMs): Promise<void> {
  const isEmpty = ({ length }: readonly number[]): boolean => length === 0;
  const left = await poll(() => processesWith(mark), isEmpty, withinMs);
  if (left.length === 0) return;
  for (const pid of left) readIfThere(() => process.kill(pid, 'SIGKILL'), false);
  throw new Error(`Killed processes that the emulator left running: ${left.join(', ')}.`);
}

function socketsOf(pid: number): readonly string[] {
  const folder = `/proc/${pid}/fd`;
  return readIfThere(() => readdirSync(folder), []).flatMap((descriptor) => {
    const target = readIfThere(() => readlinkSync(`${folder}/${descriptor}`), '');
    const [, inode] = /^socket:\[(\d+)\]$/u.exec(target) ?? [];
    return inode === undefined ? [] : [inode];
  });
}

/** Returns `otherwise` after an error: processes exit while they are read, and those of other users are unreadable. */
function readIfThere<T>(read: () => T, otherwise: T): T {
  try {
    return read();
  } catch {
    return otherwise;
  }
}
