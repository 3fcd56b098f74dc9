import { setTimeout as sleep } from 'node:timers/promises';
import type { Draws } from '#test/model/bank-books.ts';
import type { Received } from '#test/simulation/crowd/world-types.ts';
import type { Journal } from './journal.ts';
import type { Answered } from './knowledge.ts';
import type { Traffic } from './traffic.ts';

/** Keys of this cycle and of older ones that are used again after a death. */
const samples = { recent: 15, old: 8 };

/** Repeats requests with their keys: each gives its first answer, byte for byte, and says so. @returns how many */
export async function repeatKeys(
  { known, exchange }: Traffic,
  companies: readonly string[],
  draws: Draws,
  journal: Journal,
): Promise<number> {
  const isAsked = ({ sent }: Answered): boolean => sent.contract.operationId !== 'rotateWebhookSecret';
  const all = [...known.firsts.values()].filter(isAsked);
  const recent = all.filter(({ cycle }) => cycle === journal.cycle()).slice(-samples.recent);
  const before = all.filter(({ cycle }) => cycle < journal.cycle());
  // Of one operation: its function has to start first.
  const operation = before.length === 0 ? undefined : draws.one(before).sent.contract;
  const same = before.filter(({ sent }) => sent.contract === operation);
  const old = same.length === 0 ? [] : Array.from({ length: samples.old }, () => draws.one(same));
  for (const { companyId, sent, text } of [...recent, ...old]) {
    // A fault that was asked for comes once.
    const { headers: _asked, ...plain } = sent;
    const response = await untilAnswered(() => exchange(companies.indexOf(companyId), plain));
    const name = `${companyId} ${sent.contract.operationId} ${sent.key ?? ''}`;
    const found = response === 'LOST' ? response : `${response.status} ${response.text}`;
    if (found !== `201 ${text}`)
      journal.finding('a repeated key returns the first response', `${name}: 201 ${text} then ${found}`, [
        sent.key ?? '',
      ]);
    else if (response !== 'LOST' && response.headers['idempotent-replayed'] !== 'true')
      journal.finding('a repetition is marked as replayed', name, [sent.key ?? '']);
  }
  return recent.length + old.length;
}

const tries = 10;

/** A busy machine may not answer in time. */
async function untilAnswered(ask: () => Promise<Received | 'LOST'>): Promise<Received | 'LOST'> {
  for (let tried = 1; ; tried += 1) {
    const response = await ask();
    if (response !== 'LOST' || tried === tries) return response;
    await sleep(200 * tried);
  }
}
