import * as z from 'zod';
import type { CreatedResource } from '@banking-order/partner-tools';
import { supplier } from '@banking-order/partner-tools';
import { maria } from './samples.ts';

type Body = Readonly<Record<string, unknown>>;
type Path = readonly string[];

const Named = z.object({ id: z.string(), subscriptionId: z.string().optional() });
const OutboxEntry = z.object({
  id: z.string().optional(),
  data: Named.optional(),
  subscription: z.object({ id: z.string(), scheduledPayment: z.object({ id: z.string() }).optional() }).optional(),
});

/** What a true notification of a scenario is about, as the scenario knows it. */
export function aboutOf(event: string, body: Body): CreatedResource {
  const { id: order, data, subscription } = OutboxEntry.parse(body);
  const id = order ?? data?.id ?? '';
  if (event.startsWith('ORDER-PAYOUT')) return { kind: 'payout', id, pixKey: supplier.key };
  if (event.startsWith('ORDER-PAYIN')) {
    const charge = subscription?.scheduledPayment?.id;
    const origin = subscription && { subscriptionId: subscription.id, ...(charge !== undefined && { charge }) };
    return { kind: 'payIn', id, ...(origin ?? { payer: maria }) };
  }
  if (data?.subscriptionId === undefined) return { kind: 'subscription', id };
  return { kind: 'payment', id, subscriptionId: data.subscriptionId };
}

/** The path of every value of a body that holds no others. */
export function fieldsOf(value: unknown, path: Path = []): readonly Path[] {
  if (typeof value !== 'object' || value === null) return [path];
  return Object.entries(value).flatMap(([key, inner]) => fieldsOf(inner, [...path, key]));
}

/** A body with another value in a field, and one without the field. */
export function altered(body: Body, path: Path): readonly Body[] {
  return [false, true].map((isGone) => {
    const copy = structuredClone(body) as Record<string, unknown>;
    const holder = path.slice(0, -1).reduce((inner, key) => inner[key] as Record<string, unknown>, copy);
    const key = path.at(-1) ?? '';
    if (isGone) Reflect.deleteProperty(holder, key);
    else holder[key] = another(holder[key]);
    return copy;
  });
}

function another(value: unknown): unknown {
  if (typeof value === 'number') return value + 1;
  if (typeof value === 'boolean') return !value;
  return typeof value === 'string' ? `${value.slice(0, -1)}${value.endsWith('7') ? '8' : '7'}` : 'something';
}
