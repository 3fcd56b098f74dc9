import type { Exchange } from '#shared/bank/calls/response.ts';

// What a way to a bank mixes up, and what a bank leaves unsaid: answers about another thing, and keys of received Pix.

/** Paths of one thing, by its kind: two of a kind could be mistaken for one another. */
const resourcePaths: Readonly<Record<string, RegExp>> = {
  payout: /^\/v(?:2\/gn\/pix\/enviados\/id-envio|3\/gn\/pix|2\/gn\/pix)\/([0-9a-f]{32})(?:\/qrcode)?$/u,
  cob: /^\/v2\/cob\/([0-9a-f]{32})$/u,
  cobr: /^\/v2\/cobr\/([0-9a-f]{32})(?:\/retentativa\/.*)?$/u,
  rec: /^\/v2\/rec(?:\/(R[RN]\w+))?$/u,
  refund: /^\/v2\/pix\/\w+\/devolucao\/([0-9a-f]{32})$/u,
  pix: /^\/v2\/pix\/(E\w+)$/u,
};

/** The kind of a thing and its id, as a path names it; undefined for lists and for what is none. */
export function thingAt(method: string, path: string): { readonly kind: string; readonly id: string } | undefined {
  for (const [kind, pattern] of Object.entries(resourcePaths)) {
    const found = pattern.exec(path);
    // A rec that is asked for has no id yet; without one a GET is of a list.
    if (found !== null && (found[1] !== undefined || method === 'POST')) return { kind, id: found[1] ?? '' };
  }
  return undefined;
}

/** A proxy that answers now and then by what it answered before about another thing of the kind. */
export function confusedProxy(isConfused: () => boolean) {
  const last = new Map<string, { readonly id: string; readonly response: Exchange }>();
  return (
    method: string,
    path: string,
    response: Exchange,
  ): { readonly answer: Exchange; readonly isOther: boolean } => {
    const resource = thingAt(method, path);
    if (resource === undefined || (response.status !== 200 && response.status !== 201))
      return { answer: response, isOther: false };
    const before = last.get(resource.kind);
    if (before !== undefined && before.id !== resource.id && isConfused())
      return { answer: before.response, isOther: true };
    last.set(resource.kind, { id: resource.id, response });
    return { answer: response, isOther: false };
  };
}

/** The same for each Pix, whenever the bank tells of it: its key, another key of the account, or none. */
function keyNamed(endToEndId: string, chave: unknown): unknown {
  const draw = (endToEndId.codePointAt(endToEndId.length - 1) ?? 0) % 4;
  return draw === 0 ? undefined : draw === 1 ? 'another-key@company.example' : chave;
}

/** A body in which received Pix name what keys they name. */
export function withOtherKeys(body: unknown): unknown {
  if (Array.isArray(body)) return body.map(withOtherKeys);
  if (typeof body !== 'object' || body === null) return body;
  const copy = Object.fromEntries(Object.entries(body).map(([name, value]) => [name, withOtherKeys(value)]));
  const { endToEndId, chave, idEnvio } = copy;
  const isReceived = typeof endToEndId === 'string' && typeof chave === 'string' && idEnvio === undefined;
  return isReceived ? { ...copy, chave: keyNamed(endToEndId, chave) } : copy;
}
