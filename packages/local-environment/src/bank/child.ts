import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startWatched, LocalStartError } from '@banking-order/cdk-local';
import type { BankName } from '@banking-order/fake-bank';
import { connectionFile } from '@banking-order/fake-bank';

/** The bank's program, from the root of the project: every npm script runs there. */
const program = 'packages/fake-bank/src/main.ts';
/** Time limit of a start. The first start generates keys, which takes several seconds on a busy machine. */
const startWithinMs = 60_000;
const lookMs = 20;

/**
 * Starts a fake bank as a process that ends with this process.
 *
 * @param folder Absolute path of its state, kept between runs.
 * @param log File for its output.
 * @throws LocalStartError when it does not run in time.
 */
export async function startBankProcess(bankName: BankName, folder: string, log: string) {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const file = join(folder, connectionFile);
  // The file of an earlier run has other ports.
  rmSync(file, { force: true });
  const bank = startWatched([process.execPath, program, '--bank', bankName, '--dir', folder], log);
  const exited = bank.ended.then(() => 'ended' as const);
  const until = Date.now() + startWithinMs;
  while (!existsSync(file)) {
    if ((await Promise.race([exited, sleep(lookMs)])) === 'ended' || Date.now() > until) {
      await bank.stop();
      throw new LocalStartError(`Cannot start the fake bank. The reason is in ${log}.`);
    }
  }
  return {
    /** File of connection details: addresses, the client, files of keys and certificates. Mode 600. */
    connectionFile: file,
    stop: bank.stop,
  };
}
