import { carelessJson } from '../support/careless-json.ts';
import type { Bank, BankResponse } from '@banking-order/fake-bank';
import { replyTo, FaultRequest } from '@banking-order/fake-bank';
import type { Exchange } from '#shared/bank/calls/response.ts';
import { judge } from '#shared/bank/dialects/efi/response.ts';
import { secondsToWait } from '#shared/bank/calls/response.ts';
import { bankJson } from '#shared/bank/dialects/efi/bank-json.ts';
import type { Exchanges } from '#shared/bank/calls/exchange.ts';
import { epochMs, instantFromEpochMs } from '#shared/core/brasilia-time.ts';
import { idOfReference } from '#shared/bank-events/recurring.ts';
import { clientOfCall, everywhere } from './api-pix-clients.ts';
import { inApp } from './api-pix-claims.ts';
import { confusedProxy, thingAt, withOtherKeys } from './api-pix-mixups.ts';
import type { bankLife } from './api-pix-life.ts';
import type { bankOperator } from './api-pix-operator.ts';
import type { Ground } from './bank-behind.ts';
import type { Draws } from './bank-books.ts';
import { beginsAt } from './bank-books.ts';
import type { Trouble } from './bank-process.ts';

/** Milliseconds after which a caller has given up; one that reads lists waits longer. */
const callTimeoutMs = 3000;
const pageTimeoutMs = 30_000;

/** What a spell of trouble at the bank's door is. Those of the token last until a process needs another one. */
const spells = ['REFUSED', 'FOREIGN_AUTHORITY', 'INVALID_CLIENT', 'NO_TOKEN', 'TOKEN_FAILS'] as const;
type Spell = (typeof spells)[number];

/** The call in a spell; undefined for one that it does not meet. */
function inSpell(spell: Spell, path: string): Exchange | undefined {
  if (spell === 'REFUSED') return { status: 'NOT_CONNECTED', cause: 'Cannot connect to the bank: ECONNREFUSED.' };
  if (spell === 'FOREIGN_AUTHORITY')
    return { status: 'NOT_CONNECTED', cause: 'Cannot connect to the bank: SELF_SIGNED_CERT_IN_CHAIN.', isAccess: true };
  if (path !== '/oauth/token') return undefined;
  if (spell === 'TOKEN_FAILS') return { status: 503, body: undefined };
  return spell === 'NO_TOKEN' ? { status: 200, body: undefined } : { status: 400, body: { error: 'invalid_client' } };
}

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
  bank.faults.add(
    FaultRequest.parse({ fault: 'TOO_MANY', share: share / 4, retryAfter: draws.one([5, 300, 900, 86_400]) }),
  );
  // Limits of single endpoints, longer than anything else may wait.
  for (const path of ['^/v2/gn/qrcodes/detalhar$', '^/v2/(?:pix|gn/pix/enviados|rec|cobr)$'])
    bank.faults.add(FaultRequest.parse({ fault: 'TOO_MANY', path, share: share / 4, retryAfter: 86_400 }));
  for (const fault of ['FORBID', 'UNAUTHORIZED'] as const)
    bank.faults.add(FaultRequest.parse({ fault, share: share / 4 }));
  if (lagMs > 0) bank.faults.add(FaultRequest.parse({ fault: 'LAG', ms: lagMs, share: 0.5 }));
  // What a bank calls about is at times not readable when the call comes.
  const behindCallbacksMs = draws.one([0, 2000, 30_000, 60_000]);
  if (behindCallbacksMs > 0)
    bank.faults.add(FaultRequest.parse({ fault: 'LAG', ms: behindCallbacksMs, method: 'GET', path: '^/v2/pix/E' }));
  // Defences are few: their answers are lost more often than others.
  for (const fault of ['LOSE_REQUEST', 'LOSE_ANSWER', 'HANG'] as const)
    bank.faults.add(FaultRequest.parse({ fault, path: '/defesa$', share: 0.2 }));
  bank.callbacks.setPolicy({
    ...{ none: draws.chance(0.15), copies: draws.one([1, 1, 2]), bundle: draws.one([1, 10]) },
    ...{ delayMs: draws.one([0, 5000]), shuffleMs: draws.one([0, 0, 600_000]) },
    retryMs: [1, 5, 10, 20, 40].map((minutes) => minutes * 60_000),
  });
}

/** The way from the adapter to the bank, in the model's time; and the requests that the bank got on it. */
export function wayTo(
  bank: Bank,
  ground: Ground & {
    readonly bankActivity: ReturnType<typeof bankLife>;
    readonly operator: Pick<ReturnType<typeof bankOperator>, 'connectionOf'>;
    readonly faults: number;
  },
) {
  const { time, draws, bankActivity, operator, faults, isQuiet, counted, see, problems } = ground;
  const commands = new Set<string>();
  const refused = new Set<string>();
  const refusedAgain = new Set<string>();
  let isCalm = false;
  const proxy = confusedProxy(() => !isQuiet() && draws.chance(0.05));

  const listen = (client: string, path: string, { status, body }: BankResponse): void => {
    const reference = /\/(?:cob|cobr|rec|devolucao|pix)\/([^/]+)(?:\/qrcode)?$/u.exec(path)?.[1] ?? '';
    if (judge({ status, body }).is !== 'REFUSED') return;
    const id = idOfReference(reference) ?? reference;
    refused.add(id).add(reference);
    const isThere = bank.serve(client, 0, ({ drawer }) => drawer.find('cob', reference) !== undefined);
    if (isThere) refusedAgain.add(reference);
  };
  /** A paused connection is left alone: a call may only follow a pause that its process does not know yet. */
  const watchPause = async (client: string, url: string): Promise<void> => {
    const paused = (await operator.connectionOf(client))?.paused;
    const last = pauses.get(client);
    if (paused?.until !== last?.until) pauses.set(client, paused && { until: paused.until, sinceMs: time.now() });
    else if (last !== undefined && epochMs(last.until) - beginsAt > time.now() && time.now() - last.sinceMs > 15_000)
      problems.push({
        check: 'paused',
        text: `${url} is called although the connection is paused until ${last.until}`,
      });
  };
  const pauses = new Map<string, { readonly until: string; readonly sinceMs: number } | undefined>();
  /** Charges by the clients that were asked to create them. */
  const created = new Set<string>();
  /** What was given to one client is asked for there, and given to no other. */
  const watchClient = (client: string, method: string, path: string): void => {
    const resource = thingAt(method, path);
    if (resource === undefined) return;
    // A charge that no response has may be created elsewhere once more, and is looked up there.
    const isCreation = method === 'PUT' && resource.kind === 'cob';
    if (isCreation) created.add(`${client} ${resource.id}`);
    if (isCreation || created.has(`${client} ${resource.id}`)) return;
    const { kind, id } = resource.kind === 'refund' ? { kind: 'pix', id: path.split('/')[3]! } : resource;
    const at = everywhere(bank, (sessions) =>
      sessions.filter(({ drawer }) => drawer.find(kind as 'pix', id) !== undefined).map((one) => one.client.id),
    );
    if (at.length > 0 && !at.includes(client))
      problems.push({ check: 'elsewhere', text: `${method} ${path} at ${client}, which is at ${at.join()}` });
  };

  /** The bank takes one defence of a claim: one that has it is looked up, not sent again. */
  const watchDefence = (client: string, path: string): void => {
    const id = /^\/v2\/gn\/infracoes\/([^/]+)\/defesa$/u.exec(path)?.[1];
    const { defesa = inApp } = bank.serve(client, 0, ({ drawer }) => drawer.find('infracao', id ?? '')) ?? {};
    if (!defesa.startsWith(inApp)) problems.push({ check: 'doubled', text: `a defence of claim ${id} is sent again` });
  };

  let spell: { readonly kind: Spell; readonly untilMs: number } | undefined;
  const trouble = (path: string): Exchange | undefined => {
    if (isQuiet()) return undefined;
    if (spell === undefined || spell.untilMs <= time.now())
      spell = draws.chance(faults / 20)
        ? { kind: draws.one(spells), untilMs: time.now() + draws.one([500, 10_000, 120_000]) }
        : undefined;
    const met = spell && inSpell(spell.kind, path);
    if (met !== undefined) see(`bank ${spell?.kind}`);
    return met;
  };
  /** A list of a bank may take its time. */
  const waitForList = async (): Promise<boolean> => {
    if (isQuiet() || !draws.chance(0.3)) return true;
    const ms = draws.one([4000, 15_000, 29_000, 40_000]);
    await time.sleep(Math.min(ms, pageTimeoutMs));
    see(ms > pageTimeoutMs ? 'list too slow' : 'list slow');
    return ms <= pageTimeoutMs;
  };

  const exchange: Exchanges = async ({ method, url, headers, body = '' }): Promise<Exchange> => {
    counted();
    if (isQuiet() && !isCalm) {
      bank.faults.clear();
      isCalm = true;
    }
    const client = clientOfCall(bank, headers);
    if (client !== undefined) await watchPause(client, url);
    if (/"pixCopiaECola":"(?:[^"]*\\[rn]|\s)/u.test(body))
      problems.push({ check: 'answer', text: `${url} is sent a code that is not the one that was checked` });
    await time.sleep(draws.between(2, draws.chance(0.05) ? 2500 : 200));
    const { pathname: path, searchParams: query } = new URL(url);
    if (client !== undefined) watchClient(client, method, path);
    if (client !== undefined) watchDefence(client, path);
    const met = trouble(path);
    if (met !== undefined) return met;
    const isList = query.has('inicio');
    const timeoutMs = isList ? pageTimeoutMs : callTimeoutMs;
    if (isList && !(await waitForList())) return { status: 'NO_ANSWER' };
    const reply = await replyTo(bank, { method, path, query, headers, fingerprint: 'model', body });
    if (method !== 'GET' && path !== '/oauth/token') {
      commands.add(`${method} ${path}`);
      if (reply.is === 'ANSWER' || reply.is === 'GARBLED') listen(client!, path, reply.response);
      bankActivity.react();
    }
    see(`bank ${reply.is} ${reply.is === 'ANSWER' ? reply.response.status : ''}`.trim());
    const noAnswer = { status: 'NO_ANSWER' } as const;
    switch (reply.is) {
      case 'LOST':
        return noAnswer;
      case 'NEVER':
        await time.sleep(timeoutMs);
        return noAnswer;
      case 'GARBLED':
        return { status: reply.response.status, body: undefined };
      case 'ANSWER': {
        await time.sleep(Math.min(reply.delayMs, timeoutMs));
        if (reply.delayMs > timeoutMs) return noAnswer;
        const { answer: response, isOther } = proxy(method, path, exchangeOf(reply.response));
        if (isOther) see('bank answered about another thing');
        return response;
      }
    }
  };
  /** As it is once it went over a wire: written by a careless bank, and read as the adapter reads it. */
  const exchangeOf = ({ status, body, headers }: BankResponse): Exchange => {
    const asked = Object.entries(headers ?? {}).find(([name]) => name.toLowerCase() === 'retry-after')?.[1];
    const nowMs = beginsAt + time.now();
    const date = new Date(nowMs + Number(asked ?? 0) * 1000).toUTCString();
    const header = asked !== undefined && draws.chance(0.3) ? date : asked;
    const retryAfterSeconds = secondsToWait(header, instantFromEpochMs(nowMs));
    const text =
      body === undefined || typeof body === 'string'
        ? body
        : carelessJson(isToken(body) ? withTextOfSeconds(body) : withOtherKeys(body));
    if (text !== undefined && hasControls.test(text)) see('control characters');
    return {
      ...{ status, body: text === undefined ? undefined : bankJson(text) },
      ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
    };
  };
  const withTextOfSeconds = (token: Token): object =>
    draws.chance(0.3) ? { ...token, expires_in: `${token.expires_in}` } : token;
  return { exchange, commands, refused, refusedAgain };
}

const hasControls = /\p{Cc}/u;

type Token = { readonly expires_in: number };

function isToken(body: unknown): body is Token {
  return typeof body === 'object' && body !== null && 'expires_in' in body;
}
