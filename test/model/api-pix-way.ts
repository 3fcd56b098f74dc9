import { companyOne } from '../support/bank-world.ts';
import type { Bank } from '#infra/local/bank/bank.ts';
import { replyTo } from '#infra/local/bank/api/reply.ts';
import { FaultRequest } from '#infra/local/bank/faults.ts';
import type { Answer } from '#infra/local/bank/refusal.ts';
import type { Exchange } from '#shared/bank/api-pix/answer.ts';
import { judge } from '#shared/bank/api-pix/answer.ts';
import type { Exchanges } from '#shared/bank/api-pix/exchange.ts';
import { readConnection } from '#shared/bank/connection.ts';
import { epochMs } from '#shared/core/brasilia-time.ts';
import { idOfReference } from '#shared/news/recurring.ts';
import { confusedProxy, withOtherKeys } from './api-pix-mixups.ts';
import type { bankLife } from './api-pix-life.ts';
import { modelClient } from './api-pix-life.ts';
import type { Ground } from './bank-behind.ts';
import type { Draws } from './bank-books.ts';
import { beginsAt } from './bank-books.ts';
import type { Trouble } from './bank-process.ts';

/** Milliseconds after which a caller has given up. */
const callTimeoutMs = 3000;

/** The faults of the bank, each by its share of the calls, and how it tells of what happened. */
export function drawFaults(
  bank: Bank,
  draws: Draws,
  { faults, lagMs }: { readonly faults: number; readonly lagMs: number; readonly trouble: Trouble },
): void {
  const share = faults / 8;
  for (const fault of ['LOSE_REQUEST', 'LOSE_ANSWER', 'ERROR_BEFORE', 'ERROR_AFTER', 'GARBLE', 'HANG'] as const)
    bank.faults.add(FaultRequest.parse({ fault, share, status: draws.one([500, 502, 503, 504]) }));
  bank.faults.add(FaultRequest.parse({ fault: 'DELAY', share, ms: draws.between(100, 20_000) }));
  bank.faults.add(FaultRequest.parse({ fault: 'TOO_MANY', share: share / 4, retryAfter: draws.one([5, 300, 900]) }));
  for (const fault of ['FORBID', 'UNAUTHORIZED'] as const)
    bank.faults.add(FaultRequest.parse({ fault, share: share / 4 }));
  if (lagMs > 0) bank.faults.add(FaultRequest.parse({ fault: 'LAG', ms: lagMs, share: 0.5 }));
  // What a bank calls about is at times not readable when the call comes.
  const behindCallbacksMs = draws.one([0, 2000, 30_000, 60_000]);
  if (behindCallbacksMs > 0)
    bank.faults.add(FaultRequest.parse({ fault: 'LAG', ms: behindCallbacksMs, method: 'GET', path: '^/v2/pix/E' }));
  bank.callbacks.setPolicy({
    ...{ none: draws.chance(0.15), copies: draws.one([1, 1, 2]), bundle: draws.one([1, 10]) },
    ...{ delayMs: draws.one([0, 5000]), shuffleMs: draws.one([0, 0, 600_000]) },
    retryMs: [1, 5, 10, 20, 40].map((minutes) => minutes * 60_000),
  });
}

/** The way from the adapter to the bank, in the model's time; and what the bank was told on it. */
export function wayTo(bank: Bank, ground: Ground & { readonly life: ReturnType<typeof bankLife> }) {
  const { time, draws, life, isQuiet, counted, see, world, problems } = ground;
  const commands = new Set<string>();
  const refused = new Set<string>();
  const refusedAgain = new Set<string>();
  let isCalm = false;
  const proxy = confusedProxy(() => !isQuiet() && draws.chance(0.05));

  const listen = (path: string, { status, body }: Answer): void => {
    const reference = /\/(?:cob|cobr|rec|devolucao|pix)\/([^/]+)(?:\/qrcode)?$/u.exec(path)?.[1] ?? '';
    if (judge({ status, body }).is !== 'REFUSED') return;
    const id = idOfReference(reference) ?? reference;
    refused.add(id).add(reference);
    const isThere = bank.serve(modelClient, 0, ({ drawer }) => drawer.find('cob', reference) !== undefined);
    if (isThere) refusedAgain.add(reference);
  };
  /** A paused connection is left alone: a call may only follow a pause that its process does not know yet. */
  const watchPause = async (url: string): Promise<void> => {
    const paused = (await readConnection(world.store, companyOne))?.paused;
    const last = pause;
    if (paused?.until !== last?.until) pause = paused && { until: paused.until, sinceMs: time.now() };
    else if (last !== undefined && epochMs(last.until) - beginsAt > time.now() && time.now() - last.sinceMs > 15_000)
      problems.push({
        check: 'paused',
        text: `${url} is called although the connection is paused until ${last.until}`,
      });
  };
  let pause: { readonly until: string; readonly sinceMs: number } | undefined;

  const exchange: Exchanges = async ({ method, url, headers, body = '' }): Promise<Exchange> => {
    counted();
    if (isQuiet() && !isCalm) {
      bank.faults.clear();
      isCalm = true;
    }
    await watchPause(url);
    if (/"pixCopiaECola":"(?:[^"]*\\[rn]|\s)/u.test(body))
      problems.push({ check: 'answer', text: `${url} is sent a code that is not the one that was checked` });
    await time.sleep(draws.between(2, draws.chance(0.05) ? 2500 : 200));
    const { pathname: path, searchParams: query } = new URL(url);
    const reply = await replyTo(bank, { method, path, query, headers, fingerprint: 'model', body });
    if (method !== 'GET' && path !== '/oauth/token') {
      commands.add(`${method} ${path}`);
      if (reply.is === 'ANSWER' || reply.is === 'GARBLED') listen(path, reply.answer);
      life.react();
    }
    see(`bank ${reply.is} ${reply.is === 'ANSWER' ? reply.answer.status : ''}`.trim());
    const noAnswer = { status: 'NO_ANSWER' } as const;
    switch (reply.is) {
      case 'LOST':
        return noAnswer;
      case 'NEVER':
        await time.sleep(callTimeoutMs);
        return noAnswer;
      case 'GARBLED':
        return { status: reply.answer.status, body: undefined };
      case 'ANSWER': {
        await time.sleep(Math.min(reply.delayMs, callTimeoutMs));
        if (reply.delayMs > callTimeoutMs) return noAnswer;
        const { answer, isOther } = proxy(method, path, exchangeOf(reply.answer));
        if (isOther) see('bank answered about another thing');
        return answer;
      }
    }
  };
  return { exchange, commands, refused, refusedAgain };
}

/** As it is once it went over a wire. */
function exchangeOf({ status, body, headers }: Answer): Exchange {
  const retryAfter = Object.entries(headers ?? {}).find(([name]) => name.toLowerCase() === 'retry-after')?.[1];
  return {
    ...{ status, body: body === undefined ? undefined : (JSON.parse(JSON.stringify(withOtherKeys(body))) as unknown) },
    ...(retryAfter !== undefined && { retryAfterSeconds: Number(retryAfter) }),
  };
}
