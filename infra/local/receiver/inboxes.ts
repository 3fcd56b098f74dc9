import type { IncomingHttpHeaders } from 'node:http';
import type { Reply } from './script.ts';
import type { Judgement } from './signatures.ts';

/** A request that came to an inbox, as it was. */
type Arrival = {
  readonly inbox: string;
  /** Epoch milliseconds. */
  readonly at: number;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly raw: Buffer;
  readonly judgement: Judgement;
};

export type Received = Arrival & {
  /** Which call of the same `webhook-id` this is, from 1. */
  readonly call: number;
  readonly reply: Reply;
};

/** What all inboxes together keep; the oldest goes first. */
const keptAtMost = { requests: 1000, bytes: 32 * 1024 * 1024, scripts: 200 };
/** What a receiver may say when it takes a notification (specification, 6.1). */
export const success = JSON.stringify({ returnCode: 'SUCCESS' });
const taken: Reply = { status: 200, body: success };

/** Inboxes of a partner's receiver, each with what came and with the replies that it gives. In memory, bounded. */
export function createInboxes(limits = keptAtMost) {
  const scripts = new Map<string, readonly Reply[]>();
  let received: Received[] = [];
  let bytes = 0;
  const keep = (one: Received): void => {
    received.push(one);
    bytes += one.raw.length;
    while (received.length > limits.requests || bytes > limits.bytes) bytes -= received.shift()?.raw.length ?? bytes;
  };
  return {
    /** Keeps a request; says how it is answered. */
    take: (arrival: Arrival): Reply => {
      const { inbox, headers } = arrival;
      const id = headers['webhook-id'];
      const earlier = received.filter((one) => one.inbox === inbox && one.headers['webhook-id'] === id);
      const call = (id === undefined ? 0 : (earlier.at(-1)?.call ?? 0)) + 1;
      const replies = scripts.get(inbox) ?? [];
      const reply = replies[Math.min(call, replies.length) - 1] ?? taken;
      keep({ ...arrival, call, reply });
      return reply;
    },
    /** False when as many inboxes have a script as can be remembered. */
    script: (inbox: string, replies: readonly Reply[]): boolean => {
      if (!scripts.has(inbox) && scripts.size >= limits.scripts) return false;
      scripts.set(inbox, replies);
      return true;
    },
    forget: (inbox: string): void => {
      scripts.delete(inbox);
      received = received.filter((one) => one.inbox !== inbox);
      bytes = received.reduce((sum, { raw }) => sum + raw.length, 0);
    },
    repliesOf: (inbox: string): readonly Reply[] => scripts.get(inbox) ?? [taken],
    receivedBy: (inbox: string): readonly Received[] => received.filter((one) => one.inbox === inbox),
    names: (): readonly string[] => [...new Set([...scripts.keys(), ...received.map(({ inbox }) => inbox)])].sort(),
  };
}
