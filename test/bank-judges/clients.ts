import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from '#infra/releases/commands.ts';
import { connectionFile, startLocalBank } from '@banking-order/fake-bank';
import type { Verdict } from './verdict.ts';

type Program = {
  /** Gets the bank's `connection.json` as its last arguments. */
  readonly command: (connection: string) => readonly [string, ...string[]];
  /** Where it reads the bank's authority from. */
  readonly authorities: 'NODE_EXTRA_CA_CERTS' | 'REQUESTS_CA_BUNDLE';
  /** Calls that it makes, at least: a program that stops early is a failure. */
  readonly calls: number;
};

/** Lets a client that others wrote drive a bank of its own, over mTLS. */
export async function judgeByClient({ command, authorities, calls }: Program): Promise<Verdict> {
  await using undo = new AsyncDisposableStack();
  const dir = mkdtempSync(join(tmpdir(), 'bank-judges-'));
  undo.defer(() => {
    rmSync(dir, { recursive: true });
  });
  const bank = await startLocalBank({ dir });
  undo.defer(bank.close);
  const log = join(dir, 'client.log');
  const environment = { [authorities]: bank.caFile };
  const code = await run(command(join(dir, connectionFile)), { environment, log });
  const output = readFileSync(log, 'utf8');
  const passed = new Set(output.match(/^ok \w+$/gmu)).size;
  const failures: string[] = [...(output.match(/^FAIL .*$/gmu) ?? [])];
  const isWhole = code === 0 && passed >= calls;
  return { passed, failures: isWhole || failures.length > 0 ? failures : [`Failed after ${passed} calls:\n${output}`] };
}
