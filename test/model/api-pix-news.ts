import type { ServiceProcess } from './bank-process.ts';
import { pick } from '#shared/core/pick.ts';
import type { Bank } from '#shared/bank/bank.ts';
import type { ReaderOf } from '#shared/bank/ports/reader.ts';
import { connectionOfCallback } from '#shared/bank/connection.ts';
import type { Called, BankEventMessage } from '#shared/bank-events/messages.ts';
import { messagesOf } from '#shared/bank-events/enqueue.ts';
import type { Lanes } from '#shared/bank-events/receive-callback.ts';
import { receiveCallback } from '#shared/bank-events/receive-callback.ts';
import { findOwn } from '#shared/bank-events/own.ts';
import { workCallbacks } from '#shared/bank-events/work-callbacks.ts';
import type { Ground } from './bank-behind.ts';

type Process = ServiceProcess<Bank> & { readonly readerOf: ReaderOf };

/** Receives of a message, after which the queue puts it aside. */
const mostReceives = 5;

/** The service's ear for callbacks, with its queue: what is under way comes in any order, doubled or never. */
export function callbackQueue(
  { world, time, draws, now, track, isQuiet, see }: Ground,
  { subject, begin }: { readonly subject: string; readonly begin: () => Process },
) {
  const receivedBodies: string[] = [];
  const loses = (share: number): boolean => !isQuiet() && draws.chance(share);
  const work = (message: BankEventMessage, receives: number, afterMs: number): void => {
    void track(async () => {
      await time.sleep(afterMs);
      const { store, died, bank, readerOf } = begin();
      let comesAgainMs = 60_000;
      const hide = (_message: unknown, seconds: number): Promise<void> => {
        see('callback read again');
        comesAgainMs = 1000 * seconds;
        return Promise.resolve();
      };
      const deps = { ...world.deps, store, bank, now, realNow: now, readerOf, hide };
      const body = JSON.stringify(message);
      const worked = workCallbacks([{ messageId: 'one', body, receives, sentMs: 0 }], deps).catch(() => ['one']);
      for (const { kind } of [message.events].flat()) see(`callback ${kind}`);
      const kept = await Promise.race([worked, died]);
      if (kept !== 'DIED' && kept.length === 0) return;
      if (receives < mostReceives) work(message, receives + 1, comesAgainMs);
      else see('callback put aside');
    });
  };
  const enqueue = async (called: Called, lanes: Lanes): Promise<boolean> => {
    await time.sleep(draws.between(1, 20));
    if (loses(0.05)) return false;
    const { own, unknown } = messagesOf(called, lanes);
    for (const message of [...own, ...unknown])
      for (let copies = draws.chance(0.1) ? 2 : 1; copies > 0; copies -= 1)
        work(message, 1, draws.between(0, draws.chance(0.2) ? 1_800_000 : 20_000));
    return true;
  };
  return {
    /** Every body that came. */
    told: () => receivedBodies,
    /** One call of the bank at this address: its status, undefined when request or answer was lost. */
    hear: async (address: string, text: string): Promise<number | undefined> => {
      const { promise, resolve } = Promise.withResolvers<number | undefined>();
      const receive = async (): Promise<void> => {
        await time.sleep(draws.between(1, 200));
        if (loses(0.1)) {
          resolve(undefined);
          return;
        }
        receivedBodies.push(text);
        const token = new URL(address).pathname.split('/')[1] ?? '';
        const { store, died } = begin();
        const received = receiveCallback(
          { token, subject, body: Buffer.from(text) },
          {
            findCallee: async (given) => {
              const found = await connectionOfCallback(store, given);
              return (
                found && {
                  companyId: found.companyId,
                  connectionId: found.id,
                  dialect: found.dialect,
                  ...pick(found.callback, 'subject'),
                }
              );
            },
            takeQuota: () => Promise.resolve(true),
            findOwn: (companyId, events) => findOwn(store, companyId, events),
            enqueue,
          },
        ).catch(() => undefined);
        const response = await Promise.race([received, died]);
        resolve(response === 'DIED' || loses(0.05) ? undefined : (response?.status ?? 503));
      };
      void track(receive);
      return promise;
    },
  };
}
