import { dirname, join, resolve } from 'node:path';
import { instantFromEpochMs, parseInstant, plusSeconds } from '#shared/core/brasilia-time.ts';
import { signatureHeaders } from '#shared/webhooks/dispatch/signature.ts';
import { connectPartner } from '../api/client.ts';
import type { Send } from '../api/http.ts';
import { send } from '../api/http.ts';
import type { EnvironmentOptions, Print } from '../command-line.ts';
import { defineEnvironmentTool, printFor } from '../command-line.ts';
import { UsageError } from '../failures.ts';
import { commandLine } from '../invocation.ts';
import type { PostOutcome } from '../receiver/post.ts';
import { postNotification, receiverUrl } from '../receiver/post.ts';
import type { Company } from '../sandbox.ts';
import { companyOf, readSandbox, sandboxFile, webhookSecretOf } from '../sandbox.ts';
import { readDelays, readPoll } from '../times.ts';
import type { DeliveryLog } from './delivery-log.ts';
import { listenerAgent, openDeliveryLog } from './delivery-log.ts';
import type { Cursor, Open } from './cursor.ts';
import { beginAfter, beginAfterAll, readAgainSeconds, readCursor, writeCursor } from './cursor.ts';
import { readEvents } from './events.ts';
import { follow, inTurn, promised } from './follow.ts';
import type { Forward } from './keys.ts';
import { keysUsage, takeKeys } from './keys.ts';

const details = `
It reads the delivery log and sends each notification with the same bytes and the same webhook-id. It signs each attempt
with the company's secret in the sandbox file. It forwards deliveries of every status, HELD ones and resends included: a
resend has the webhook-id of its first delivery. Registered endpoints still get their notifications. After a stop, even
by kill -9, it continues at the same position: it repeats the calls that were under way, and skips no notification. Run
one listener for each cursor at a time.

In a terminal, r sends the last notification again with the same webhook-id, d prints its headers and body, o opens it in
the console.`;

type Options = EnvironmentOptions<'events' | 'since' | 'cursor' | 'delays' | 'poll'> & { readonly forwardTo: string };

async function run(given: Options): Promise<void> {
  const print = printFor(given);
  const url = receiverUrl(given.forwardTo, commandLine('listen', '--forward-to http://127.0.0.1:4000/notifications'));
  const delaysSeconds = given.delays === undefined ? promised.delaysSeconds : readDelays(given.delays);
  const pollMs = readPoll(given.poll);
  const leaveOut = readEvents(given.events);
  const file = sandboxFile(given.sandbox);
  const sandbox = readSandbox(file);
  const company = companyOf(sandbox, given.company);
  webhookSecretOf(company);
  const cursorFile = resolve(given.cursor ?? join(dirname(file), `listen-${company.companyId}.json`));
  const stop = new AbortController();
  const end = (): void => {
    stop.abort();
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, end);
  const sendAsListener: Send = (to, sent) =>
    send(to, { ...sent, headers: { 'user-agent': listenerAgent, ...sent.headers } });
  const connect = () => connectPartner(sandbox, company, sendAsListener);
  // Ends the tool if the client secret is wrong or the environment does not respond.
  await connect().token();
  const log = openDeliveryLog(connect, stop.signal, (because) => {
    print(`The environment does not respond (${because}). Retrying.`, { kind: 'away', because });
  });
  const { begin, description } = await beginning(log, cursorFile, given.since);
  const facts = {
    company: company.name,
    baseUrl: sandbox.baseUrl,
    to: url,
    from: description,
    waiting: begin.open.length,
  };
  print(`Forwarding notifications of ${company.name} at ${sandbox.baseUrl} to ${url}: ${description}.`, {
    kind: 'began',
    ...facts,
  });
  const waiting =
    begin.open.length === 0 ? '' : `${begin.open.length} earlier notifications are not acknowledged yet. `;
  print(`${waiting}Ctrl-C stops it; the next start continues at the same position.`);
  const { call, again, last } = openCalls({
    url,
    log,
    print,
    company: () => companyOf(readSandbox(file), company.companyId),
  });
  const page = ({ id }: Forward): string =>
    `${sandbox.baseUrl}/console/#/${[company.companyId, 'deliveries', id].map(encodeURIComponent).join('/')}`;
  const undoKeys = takeKeys({ last, again, page, end, print });
  if (undoKeys !== undefined) print(keysUsage);
  const keep = (cursor: Cursor): void => {
    writeCursor(cursorFile, cursor);
  };
  const report = (delivery: Open, outcome: PostOutcome, next: Next): void => {
    print(lineOf(delivery, outcome, next), recordOf(delivery, outcome, next));
  };
  const { signal } = stop;
  await follow(begin, { log, leaveOut, call, keep, report, delaysSeconds, pollMs, signal })
    .catch((error: unknown) => {
      if (!signal.aborted) throw error;
    })
    .finally(undoKeys);
  print('Stopped.', { kind: 'stopped' });
}

type Calls = {
  readonly url: string;
  readonly log: DeliveryLog;
  readonly print: Print;
  /** Reads the company at each attempt, as the service does: the secret may have been rotated. */
  readonly company: () => Company;
};

/** Calls the receiver, at most four times concurrently. The last notification can be sent again. */
function openCalls({ url, log, print, company }: Calls) {
  let last: Forward | undefined;
  const post = inTurn(async ({ id, event }: Pick<Open, 'id' | 'event'>): Promise<PostOutcome> => {
    const { webhookId, body } = (await log.sentOf(id)) ?? {};
    if (webhookId === undefined || body === undefined)
      return { taken: false, ms: 0, failure: 'the delivery log no longer has it' };
    const secrets = { current: webhookSecretOf(company()) };
    const headers = signatureHeaders({ id: webhookId, at: instantFromEpochMs(Date.now()), body, secrets });
    last = { id, event, headers, body };
    return postNotification(url, { headers, body }, promised.withinMs);
  });
  return {
    call: post,
    last: () => last,
    again: async ({ id, event }: Forward): Promise<void> => {
      const outcome = await post({ id, event });
      const delivery = { id, event, failures: 0 };
      print(`${lineOf(delivery, outcome, 'taken')} (again)`, { ...recordOf(delivery, outcome, 'again') });
    },
  };
}

type Beginning = {
  readonly begin: Cursor;
  /** Text for people. The cursor's `from` does not serve: it is earlier than the first notification. */
  readonly description: string;
};

/** Returns the position at which a listener begins: a given time, its last stop, or the next notification. */
async function beginning(log: DeliveryLog, file: string, since: string | undefined): Promise<Beginning> {
  if (since !== undefined) {
    const moment = parseInstant(since);
    if (moment === undefined)
      throw new UsageError(
        `--since ${since} is not a time.`,
        'Write it as 2026-01-15T12:00:00Z, or with another offset.',
      );
    return { begin: beginAfter(moment), description: `everything created after ${since}` };
  }
  const kept = readCursor(file);
  if (kept !== undefined) return { begin: kept, description: 'everything since the last stop' };
  const newest = await log.newest();
  const listed = newest === undefined ? [] : await log.listAfter(plusSeconds(newest, -readAgainSeconds));
  return { begin: beginAfterAll(listed), description: 'everything from now on' };
}

type Next = 'taken' | 'failed' | number;

function lineOf({ id, event, failures }: Pick<Open, 'id' | 'event' | 'failures'>, outcome: PostOutcome, next: Next) {
  const time = instantFromEpochMs(Date.now()).slice(11, 19);
  const response = outcome.status ?? outcome.failure ?? '';
  const attempt = `: attempt ${failures + 1}`;
  const resend = `POST /order/v1/webhook/deliveries/${id}/resend sends it again`;
  const then = { taken: '', failed: `${attempt} was the last; ${resend}` };
  const end = typeof next === 'number' ? `${attempt} failed, the next attempt in ${next} s` : then[next];
  return `${time}Z  ${event.padEnd(48)} ${id}  → ${response} in ${outcome.ms} ms${end}`;
}

function recordOf(
  { id, event, failures }: Pick<Open, 'id' | 'event' | 'failures'>,
  { status, failure, ms }: PostOutcome,
  next: Next | 'again',
) {
  const outcome = typeof next === 'number' ? { outcome: 'retried', nextInSeconds: next } : { outcome: next };
  const at = instantFromEpochMs(Date.now());
  return { kind: 'forwarded', at, event, id, attempt: failures + 1, status, failure, ms, ...outcome };
}

/** Forwards notifications to this machine. */
export const listen = defineEnvironmentTool(
  'listen',
  "Forwards a company's notifications from any environment to a receiver on this machine, without a tunnel.",
)
  .usage('--forward-to URL [options]')
  .requiredOption('--forward-to <URL>', 'your receiver, as http://127.0.0.1:4000/notifications')
  .option(
    '--events <NAMES>',
    'only these events, as ORDER-PAYIN.PAID,subscription.*; the others are not sent later either (default: all)',
  )
  .option(
    '--since <TIME>',
    'everything created after this time, as 2026-01-15T12:00:00Z (default: since the last stop, else from now on)',
  )
  .option(
    '--cursor <FILE>',
    'file of the position in the delivery log (default: beside the sandbox file, one for each company)',
  )
  .option(
    '--delays <SECONDS>',
    `waits before attempts 2, 3, … (default: ${promised.delaysSeconds.join(',')}, as in the service)`,
  )
  .option('--poll <SECONDS>', 'time between two reads of the delivery log (default: 1)')
  .addHelpText('after', details)
  .action(run);
