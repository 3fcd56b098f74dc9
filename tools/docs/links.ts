import * as z from 'zod';
import type { Contract } from '#shared/contract/contract.ts';
import type { JsonObject } from './schemas.ts';

/** The next operation, and the sources of its parameters and body fields. */
type Link = {
  readonly operationId: string;
  readonly parameters?: Readonly<Record<string, string>>;
  readonly body?: Readonly<Record<string, string>>;
};
type Operation = Pick<Contract, 'operationId' | 'method' | 'path' | 'query' | 'body' | 'responses'>;
type Sources = Readonly<Record<string, string>>;

const here = '$response.body#/id';
const first = '$response.body#/data/0/id';
const validationId = '$response.body#/validationId';
const externalId = '$response.body#/externalId';
const account = { accountId: '$request.path.accountId' };

const to = (operationId: string, parameters: Sources): Link => ({ operationId, parameters });
const move = (operationId: string, id: string, status: string): Link => ({ operationId, body: { id, status } });
const deliveriesOf = (resourceId: string): Link => to('listWebhookDeliveries', { resourceId });
const ofDelivery = [to('getWebhookDelivery', { id: here }), to('resendWebhookDelivery', { id: here })];
const ofKey = (operationId: string): Link => ({
  ...to(operationId, account),
  body: { validationId },
});

/** Links that do not follow from the paths: forced transitions, deliveries of a resource, and ids in responses. */
const furtherLinks: Readonly<Record<string, readonly Link[]>> = {
  createPixKey: [ofKey('resendKeyCode'), ofKey('confirmPixKey')],
  resendKeyCode: [to('getKeyCode', { ...account, validationId })],
  confirmPixKey: [to('listPixKeys', account), to('removePixKey', { ...account, validationId })],
  removePixKey: [to('listPixKeys', account)],
  getKeyCode: [
    {
      ...to('confirmPixKey', account),
      body: { validationId: '$request.path.validationId', code: '$response.body#/code' },
    },
  ],
  createPayIn: [move('forceOrderStatus', here, 'PAID'), deliveriesOf(here)],
  listPayIns: [move('forceOrderStatus', first, 'PAID'), deliveriesOf(first)],
  refundPayIn: [to('getRefundCertificate', { id: '$request.path.id', refundId: '$response.body#/refundId' })],
  createPayout: [move('forceOrderStatus', here, 'PAID'), deliveriesOf(here)],
  listPayouts: [move('forceOrderStatus', first, 'PAID'), deliveriesOf(first)],
  createSubscription: [
    move('forceSubscriptionStatus', here, 'ACCEPTED'),
    deliveriesOf(here),
    to('getPayIn', { id: '$response.body#/initialCharge/orderId' }),
  ],
  createScheduledPayment: [move('forceScheduledPaymentStatus', here, 'ACCEPTED'), deliveriesOf(here)],
  forceOrderStatus: [deliveriesOf(here)],
  forceDisputeStatus: [to('getDispute', { id: here }), to('defendDispute', { id: here }), deliveriesOf(here)],
  forceSubscriptionStatus: [
    to('getSubscription', { id: here }),
    to('createScheduledPayment', { id: here }),
    deliveriesOf(here),
  ],
  forceScheduledPaymentStatus: [deliveriesOf(here)],
  listWebhookEndpoints: [
    { operationId: 'releaseWebhookEndpoint', body: { endpoint: '$response.body#/data/0/endpoint' } },
  ],
  testWebhook: ofDelivery,
  resendWebhookDelivery: ofDelivery,
};

/**
 * Returns the links of successful responses (OpenAPI 3.1, Link Object), by source operation and target operation: the
 * links that follow from the paths, and the further links. The fields of a body are in `x-request-body`: `requestBody`
 * may be any value, but client generators accept only a text.
 *
 * @param all the operations of the document
 * @throws Error when a further link is of no operation, or follows from the paths
 */
export function linksOf(
  all: readonly Operation[],
  further: Readonly<Record<string, readonly Link[]>> = furtherLinks,
): Readonly<Record<string, JsonObject>> {
  const nowhere = Object.keys(further).find((name) => all.every(({ operationId }) => operationId !== name));
  if (nowhere !== undefined) throw new Error(`Links start at ${nowhere}, which is not an operation.`);
  const found = all.flatMap((source): [string, JsonObject][] => {
    const own = linksFrom(source, all, further[source.operationId] ?? []);
    return Object.keys(own).length === 0 ? [] : [[source.operationId, own]];
  });
  return Object.fromEntries(found);
}

function linksFrom(source: Operation, all: readonly Operation[], further: readonly Link[]): JsonObject {
  const links = all.flatMap((target) => pathLinks(source, target));
  const twice = further.find((link) => links.some((known) => JSON.stringify(known) === JSON.stringify(link)));
  if (twice !== undefined)
    throw new Error(`Remove the link from ${source.operationId} to ${twice.operationId}: the paths already imply it.`);
  const entries = [...links, ...further].map(({ body, ...link }): [string, JsonObject] => [
    link.operationId,
    { ...link, ...(body && { 'x-request-body': body }) },
  ]);
  return Object.fromEntries(entries);
}

/** Returns the link that follows from the paths of two operations, if any. */
function pathLinks(source: Operation, target: Operation): readonly Link[] {
  // An operation that needs the validation of a key has no link from the paths.
  if (source.operationId === target.operationId || 'validationId' in shapeOf(target.body)) return [];
  const [from, next] = [segmentsOf(source.path), segmentsOf(target.path)];
  const id = idOf(source);
  const link = (own: Sources): readonly Link[] => [to(target.operationId, { ...inherited(source, target), ...own })];
  const startsWith = (path: readonly string[], prefix: readonly string[]): boolean =>
    prefix.every((segment, place) => segment === path[place] || (isParameter(segment) && isParameter(path[place])));
  // From a created or listed resource to the operations on it.
  const after = next[from.length];
  if (id !== undefined && startsWith(next, from) && isParameter(after))
    return next.slice(from.length + 1).some(isParameter) ? [] : link({ [nameOf(after)]: id });
  if (source.method === 'GET' || target.method !== 'GET') return [];
  // From a created resource to its list.
  if (from.length === next.length && startsWith(next, from)) {
    const isFound = 'externalId' in shapeOf(target.query) && 'externalId' in shapeOf(successOf(source));
    return link(isFound ? { externalId } : {});
  }
  // From an operation on a resource to the read of the resource.
  return isParameter(next.at(-1)) && next.length === from.length - 1 && startsWith(from, next) ? link({}) : [];
}

/** Omits the area and version, which differ between operations about one resource. */
function segmentsOf(path: string): readonly string[] {
  return path.split('/').slice(3);
}

function isParameter(segment: string | undefined): segment is string {
  return segment?.startsWith('{') === true;
}

function nameOf(parameter: string): string {
  return parameter.slice(1, -1);
}

/** Returns the parameters that both paths have in the same position. */
function inherited(source: Operation, target: Operation): Sources {
  const [from, next] = [segmentsOf(source.path), segmentsOf(target.path)];
  const both = from.flatMap((segment, place): [string, string][] => {
    const otherSegment = next[place];
    return isParameter(segment) && isParameter(otherSegment)
      ? [[nameOf(otherSegment), `$request.path.${nameOf(segment)}`]]
      : [];
  });
  return Object.fromEntries(both);
}

/** Returns where a success names the resource: the created one, or the first of a list. */
function idOf(operation: Operation): string | undefined {
  const shape = shapeOf(successOf(operation));
  if (operation.method === 'GET') {
    const { data } = shape;
    const entry = data instanceof z.ZodArray ? shapeOf(data.element) : {};
    return 'id' in entry ? first : undefined;
  }
  if ('validationId' in shape) return validationId;
  return 'id' in shape ? here : undefined;
}

function successOf({ responses }: Operation): unknown {
  return Object.values(responses).at(-1);
}

function shapeOf(schema: unknown): Readonly<Record<string, unknown>> {
  return schema instanceof z.ZodObject ? schema.shape : {};
}
