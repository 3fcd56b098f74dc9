import { createHmac } from 'node:crypto';
import type { Draws } from '#test/model/bank-books.ts';
import { beginsAt } from '#test/model/bank-books.ts';
import type { VirtualTime } from '#test/model/virtual-time.ts';

/** How a receiver behaves. It changes with time where it says so. */
export const behaviours = [
  'FAST',
  'SLOW',
  'FAILING',
  'HANGING',
  'GONE',
  'HALF',
  'REDIRECTING',
  'FLAPPING',
  'DOWN_FOR_HOURS',
  'CERTIFICATE',
] as const;
type Temper = (typeof behaviours)[number];

/** A call that a receiver got. */
export type Taken = {
  readonly ms: number;
  readonly host: string;
  readonly webhookId: string;
  readonly body: string;
  readonly isAcknowledged: boolean;
};

type Outgoing = {
  readonly host: string;
  readonly address: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | number>>;
  readonly body: string;
};
type Answer = {
  readonly ms: number;
  readonly breaks: boolean;
  readonly status: number;
  readonly text: string;
  readonly isEndless: boolean;
};

export type Receivers = ReturnType<typeof receiversOf>;

const hour = 3_600_000;
/** Receivers refuse what was signed longer ago (Standard Webhooks 1.0.0). */
const toleranceMs = 300_000;

/**
 * The partners' receivers, by host, each with one behaviour until all are well. Each stores what it got and whether its
 * signature was right, and accepts each `webhook-id` once.
 */
export function receiversOf(
  time: VirtualTime,
  draws: Draws,
  knowledge: {
    /** The secrets of the receiver's company that sign now. */
    readonly secretsOf: (companyId: string) => readonly string[];
    /** Claims that workers have made so far of a notification, resends included. */
    readonly claimsOf: (webhookId: string) => number;
    readonly taken: (taken: Taken) => void;
    readonly finding: (invariant: string, text: string, ids: readonly string[]) => void;
  },
) {
  const hosts = new Map<string, { readonly companyId: string; readonly behaviour: Temper; readonly phaseMs: number }>();
  let areWell = false;
  const temperOf = (host: string): Temper => {
    const known = hosts.get(host);
    if (known === undefined || areWell) return 'FAST';
    const { behaviour, phaseMs } = known;
    const part = (time.now() + phaseMs) % (6 * hour);
    if (behaviour === 'FLAPPING') return part % (20 * 60_000) < 10 * 60_000 ? 'FAILING' : 'FAST';
    if (behaviour === 'DOWN_FOR_HOURS') return part < 3 * hour ? 'DOWN_FOR_HOURS' : 'FAST';
    return behaviour;
  };
  const drawAnswer = (behaviour: Temper): Answer => {
    const usual = {
      ms: draws.between(5, 200),
      breaks: false,
      status: 200,
      text: '{"returnCode":"00"}',
      isEndless: false,
    };
    switch (behaviour) {
      case 'SLOW':
        return { ...usual, ms: draws.between(1100, 9000) };
      case 'FAILING':
        return { ...usual, status: draws.one([500, 503, 404, 429]) };
      case 'HANGING':
        return draws.chance(0.9) ? { ...usual, ms: 60_000 } : usual;
      case 'GONE':
        return { ...usual, status: 410 };
      case 'HALF':
        return draws.one([
          { ...usual, breaks: true },
          { ...usual, isEndless: true },
          { ...usual, text: 'x'.repeat(9000) },
        ]);
      case 'REDIRECTING':
        return draws.chance(0.5) ? { ...usual, status: 302 } : usual;
      case 'FAST':
      case 'FLAPPING':
      case 'DOWN_FOR_HOURS':
      case 'CERTIFICATE':
        return usual;
    }
  };
  const calls = new Map<string, number>();
  const check = (companyId: string, { headers, body }: Outgoing): void => {
    const id = String(headers['webhook-id']);
    const callCount = (calls.get(id) ?? 0) + 1;
    calls.set(id, callCount);
    if (callCount > knowledge.claimsOf(id))
      knowledge.finding(
        'each call has its own claim',
        `delivery ${id}: ${callCount} calls for ${knowledge.claimsOf(id)} claims`,
        [id],
      );
    const ageMs = beginsAt + time.now() - 1000 * Number(headers['webhook-timestamp']);
    if (Math.abs(ageMs) > toleranceMs)
      knowledge.finding('a signature has the time of its call', `delivery ${id}: the signature is ${ageMs} ms old`, [
        id,
      ]);
    const signatures = [headers['X-Signature-SHA256'], headers['x-signature-sha256']].flatMap((one) => one ?? []);
    const expected = knowledge
      .secretsOf(companyId)
      .map((secret) => createHmac('sha256', secret).update(body).digest('hex'));
    if (!signatures.some((one) => expected.some((right) => one === `sha256=${right}`)))
      knowledge.finding(
        'a notification is signed',
        `delivery ${id}: ${signatures.join()} matches no secret of the company`,
        [id],
      );
  };
  /** By host and bytes the `webhook-id` under which they were booked. No two notifications have the same bytes. */
  const booked = new Map<string, string>();
  const book = (host: string, webhookId: string, body: string): void => {
    const place = `${host} ${body}`;
    const known = booked.get(place) ?? webhookId;
    booked.set(place, known);
    if (known !== webhookId)
      knowledge.finding(
        'a notification has one webhook-id',
        `delivery ${webhookId}: its bytes were received as ${known} before`,
        [known, webhookId],
      );
  };
  return {
    add: (host: string, companyId: string, behaviour: Temper): void => {
      hosts.set(host, { companyId, behaviour, phaseMs: draws.between(0, 6 * hour) });
    },
    hosts,
    /** Whether every receiver answers from now on. */
    behaveWell: (isWell: boolean): void => {
      areWell = isWell;
    },
    connection: (host: string, address: string) => {
      const behaviour = temperOf(host);
      const isKnown = hosts.has(host) && address !== '';
      const refuses =
        behaviour === 'DOWN_FOR_HOURS' ? draws.one(['ECONNREFUSED', 'SILENT', 'EHOSTUNREACH'] as const) : undefined;
      return {
        refuses: isKnown ? refuses : ('ECONNREFUSED' as const),
        connectMs: draws.between(2, 60),
        breaksHandshake: behaviour === 'CERTIFICATE',
      };
    },
    take: (outgoing: Outgoing): Answer => {
      const known = hosts.get(outgoing.host);
      if (known === undefined) return drawAnswer('FAILING');
      check(known.companyId, outgoing);
      if (outgoing.address.startsWith('127.'))
        knowledge.finding('no call goes to a forbidden address', `${outgoing.host} at ${outgoing.address}`, []);
      const response = drawAnswer(temperOf(outgoing.host));
      const isAcknowledged = response.status >= 200 && response.status < 300 && !response.breaks && response.ms < 9000;
      const { body, host, headers } = outgoing;
      const webhookId = String(headers['webhook-id']);
      if (isAcknowledged) book(host, webhookId, body);
      knowledge.taken({ ms: time.now(), host, webhookId, body, isAcknowledged });
      return response;
    },
  };
}
