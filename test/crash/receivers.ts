import type { Inbox, Notification, Reply } from '@banking-order/partner-tools';
import { isTaken, startReceiver } from '@banking-order/partner-tools';
import { reset, slow } from '#test/support/misbehaving.ts';

const ok: Reply = { kind: 'ok' };
/** The partner accepts it, and its response does not reach the service. */
const halfTaken: Reply = {
  kind: 'own',
  send: (response) => {
    response.writeHead(200, { 'content-length': 100 }).write('{');
    setTimeout(() => response.destroy(), 20);
  },
};
/** A call that takes longer than a second makes an address busy. */
const late = slow(1200);
const refused = (status: number): Reply => ({ kind: 'status', status });

/** How the addresses of a company reply to the calls of one notification, the last reply to all that follow. */
const behaviours: Readonly<Record<string, readonly Reply[]>> = {
  steady: [ok],
  'refuses-once': [refused(500), ok],
  breaks: [reset, ok],
  'half-taken': [halfTaken, ok],
  late: [late],
  moody: [refused(503), reset, refused(429), ok],
};
/** What takes nothing has a port of its own, and so an origin. */
const down: Readonly<Record<string, readonly Reply[]>> = { down: [refused(500)] };

export type Receivers = Awaited<ReturnType<typeof startReceivers>>;

/** Whether the partner took it: also where the service cannot know. */
export function wasTaken({ reply }: Pick<Notification, 'reply'>): boolean {
  return isTaken(reply) || reply === late || reply === halfTaken;
}

/** The receivers of the companies, which outlive every death: each company has an address for each behaviour. */
export async function startReceivers(companies: readonly string[]) {
  const [lively, other] = [await startReceiver(), await startReceiver()];
  const inboxes = new Map<string, ReadonlyMap<string, Inbox>>();
  for (const company of companies) {
    const open = (receiver: typeof lively, names: readonly string[]) =>
      names.map((name) => [name, receiver.inbox(`${company}-${name}`)] as const);
    inboxes.set(company, new Map([...open(lively, Object.keys(behaviours)), ...open(other, Object.keys(down))]));
  }
  const setReplies = (repliesOf: (name: string) => readonly Reply[]): void => {
    for (const own of inboxes.values()) for (const [name, inbox] of own) inbox.reply(...repliesOf(name));
  };
  const misbehave = (): void => {
    setReplies((name) => behaviours[name] ?? down[name] ?? [ok]);
  };
  misbehave();
  return {
    addressesOf: (company: string): readonly string[] =>
      [...(inboxes.get(company)?.values() ?? [])].map(({ url }) => url),
    steadyOf: (company: string): string => inboxes.get(company)?.get('steady')?.url ?? '',
    misbehave,
    /** From now on each acknowledges every call immediately. */
    recover: (): void => {
      setReplies(() => [ok]);
    },
    callsOf: (company: string): readonly Notification[] =>
      [...(inboxes.get(company)?.values() ?? [])].flatMap(({ received }) => received),
    stop: async (): Promise<void> => {
      await lively.stop();
      await other.stop();
    },
  };
}
