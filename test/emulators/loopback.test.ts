import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from 'vitest';
import {
  checkLoopback,
  checkNoneLeft,
  isLoopback,
  listenersOf,
  markVariable,
  processesWith,
  readListeners,
} from '#tools/emulators/loopback.ts';

const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

/** A process with the mark that listens at an address; resolves once it does. */
async function server(mark: string, address: string): Promise<ChildProcess> {
  const script = `require('node:net').createServer().listen(0, '${address}', () => console.log('listens'))`;
  const child = spawn(process.execPath, ['--eval', script], {
    env: { ...process.env, [markVariable]: mark },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(child);
  await once(child.stdout, 'data');
  return child;
}

describe('the socket tables of the kernel', () => {
  const line = (local: string, state: string) =>
    `   0: ${local} 00000000:0000 ${state} 00000000:00000000 00:00000000 00000000     0        0 4711 1 0000 100 0 0 10 0`;

  it('give address, port and inode of listening sockets, and of no others', () => {
    const table = ['  sl  local_address rem_address   st', line('0100007F:11D6', '0A'), line('0100007F:11D6', '01')];
    expect(readListeners(table.join('\n'))).toEqual([{ address: '127.0.0.1', port: 4566, inode: '4711' }]);
  });

  it.each([
    ['0100007F', true],
    ['0200017F', true],
    ['00000000', false],
    ['0100A8C0', false],
    ['00000000000000000000000001000000', true],
    ['0000000000000000FFFF00000100007F', true],
    ['00000000000000000000000000000000', false],
    ['0000000000000000FFFF000000000000', false],
    ['000080FE000000000000000001000000', false],
  ])('have %s as an address of this machine only: %s', (hexAddress, expected) => {
    const [listener] = readListeners(line(`${hexAddress}:1F90`, '0A'));
    expect(isLoopback(listener!.address)).toBe(expected);
  });
});

// Its processes take their time on a machine that is busy.
describe('a run', () => {
  it('passes when its own processes listen on loopback alone, also beside open ports of other processes', async () => {
    const mark = randomUUID();
    await server(randomUUID(), '0.0.0.0');
    const [four, six] = [await server(mark, '127.0.0.1'), await server(mark, '::1')];
    expect(new Set(checkLoopback(mark).map(({ pid }) => pid))).toEqual(new Set([four.pid, six.pid]));
  });

  it.each(['0.0.0.0', '::'])('fails when one of its processes listens at %s', async (address) => {
    const mark = randomUUID();
    await server(mark, '127.0.0.1');
    const open = await server(mark, address);
    const { port } = listenersOf(mark).find(({ pid }) => pid === open.pid)!;
    expect(() => checkLoopback(mark)).toThrow(
      new RegExp(`addresses that other machines reach: [0.:]+ port ${port} \\(process ${open.pid}\\)`),
    );
  });

  it('fails when it has no process to check', () => {
    expect(() => checkLoopback(randomUUID())).toThrow('Cannot check the addresses');
  });

  it('knows the processes that its processes started, also when their parent is gone', async () => {
    const mark = randomUUID();
    const shell = spawn('/bin/sh', ['-c', 'sleep 60 >/dev/null 2>&1 & echo $!'], {
      env: { ...process.env, [markVariable]: mark },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    // Both are awaited concurrently: the shell may end before its output is read.
    const [output] = await Promise.all([text(shell.stdout), once(shell, 'exit')]);
    const remainingPid = Number(output);
    expect(processesWith(mark)).toEqual([remainingPid]);
    process.kill(remainingPid, 'SIGKILL');
    await checkNoneLeft(mark);
  });

  it('kills a process that was left behind, and fails with its id', async () => {
    const mark = randomUUID();
    const { pid } = await server(mark, '127.0.0.1');
    await expect(checkNoneLeft(mark, 200)).rejects.toThrow(`left running: ${pid}`);
    await checkNoneLeft(mark);
  });
});
