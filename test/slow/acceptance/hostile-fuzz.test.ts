import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ResetClock } from '#functions/order-tools/reset-clock/contract.ts';
import { readResponse, readError, requestOf } from '@banking-order/partner-tools';
import type { HttpResponse } from '@banking-order/partner-tools';
import type { Contract } from '#shared/contract/contract.ts';
import { fc } from '#test/support/properties.ts';
import { refused } from '#test/support/refusals.ts';
import { environment, second } from '#test/acceptance/partners.ts';
import type { Named } from '#test/acceptance/requests.ts';
import { everyRoute, makeOneOfEach } from '#test/acceptance/requests.ts';

/** How often each kind of nonsense is tried on each route: what an emulator adds is its gateway, the same for all. */
const numRuns = environment.capabilities.includes('speed') ? 15 : 1;

let named: Named;
beforeAll(async () => {
  named = await makeOneOfEach(second);
});
afterAll(async () => {
  // Some of what is sent turns the clock.
  await second.call(ResetClock);
});

/** Whatever was sent, the answer is one that the contract knows: a success of its shape or an error of the caller. */
function judge(contract: Contract, received: HttpResponse): void {
  if (received.status >= 500) throw new Error(`The service failed: ${received.status} ${received.text}`);
  if (received.status in contract.responses) readResponse(contract, received, 'CLOSED');
  else readError(received);
}

const anyJson = fc.jsonValue({ maxDepth: 4, noUnicodeString: false });
const nasty = fc.oneof(
  anyJson,
  fc.constantFrom<unknown>(
    null,
    [],
    {},
    '',
    0,
    -0,
    1e400,
    1e21,
    true,
    '\u0000',
    '\ud800',
    '__proto__',
    'x'.repeat(3000),
  ),
  fc.string({ unit: 'binary', maxLength: 80 }),
  fc.constant({ __proto__: { admin: true }, constructor: 1, toString: null }),
);

/** A valid body with one value replaced, removed or added, somewhere in it. */
function mutated(body: unknown): fc.Arbitrary<unknown> {
  return fc.tuple(fc.nat(), nasty, fc.constantFrom('replace', 'remove', 'add')).map(([at, value, change]) => {
    const copy: unknown = structuredClone(body);
    const slots = placesOf(copy);
    const place = slots[at % slots.length];
    if (place === undefined) return value;
    if (change === 'add') place.parent['unexpected'] = value;
    else if (change === 'remove') Reflect.deleteProperty(place.parent, place.name);
    else place.parent[place.name] = value;
    return copy;
  });
}

/** A text of JSON with one of its members, or else one of ours, standing twice. */
function doubled(text: string, at: number, value: unknown): string {
  const names = [...text.matchAll(/(?<=[{,])"(?:[^"\\]|\\.)*":/gu)];
  const found = names[at % Math.max(1, names.length)];
  const member = `${found?.[0] ?? '"x":1,"\\u0078":'}${JSON.stringify(value)}`;
  const place = found?.index ?? 1;
  const rest = text.slice(place);
  return `${text.slice(0, place)}${member}${rest === '}' ? '' : ','}${rest}`;
}

type Place = { readonly parent: Record<string, unknown>; readonly name: string };
function placesOf(value: unknown): readonly Place[] {
  if (typeof value !== 'object' || value === null) return [];
  const parent = value as Record<string, unknown>;
  return Object.keys(parent).flatMap((name) => [{ parent, name }, ...placesOf(parent[name])]);
}

describe.each(everyRoute())('$contract.operationId answers by its contract', ({ contract, ask }) => {
  const json = { 'content-type': 'application/json' };
  const post = (body: string | Buffer): Promise<HttpResponse> => {
    const sent = requestOf(contract, ask(named));
    return second.raw({ ...sent, headers: { ...sent.headers, ...json }, body });
  };
  const send = async (body: string | Buffer): Promise<void> => {
    judge(contract, await post(body));
  };

  test('to any bytes for a body', async () => {
    const bytes = fc.uint8Array({ maxLength: 400 }).map((array) => Buffer.from(array));
    await fc.assert(
      fc.asyncProperty(bytes, (body) => send(body)),
      { numRuns },
    );
  });

  test('to any JSON for a body', async () => {
    await fc.assert(
      fc.asyncProperty(nasty, (body) => send(JSON.stringify(body))),
      { numRuns },
    );
  });

  test('to its own body with something wrong in it', async () => {
    // A new request each time, so that what is not wrong is accepted.
    const bodies = fc.constant(null).chain(() => mutated(ask(named).body ?? {}));
    await fc.assert(
      fc.asyncProperty(bodies, (body) => send(JSON.stringify(body))),
      { numRuns },
    );
  });

  // The body of a GET is not read.
  if (contract.method !== 'GET')
    test('to its own body with a member doubled: never as if it stood once', async () => {
      const own = JSON.stringify(ask(named).body ?? {});
      const bodies = fc.tuple(fc.nat(), nasty).map(([at, value]) => doubled(own, at, value));
      await fc.assert(
        fc.asyncProperty(bodies, async (body) => {
          const { details } = refused(await post(body), 400);
          expect(details.map(({ issue }) => issue)).toEqual(['MALFORMED_JSON']);
        }),
        { numRuns },
      );
    });

  test('to its own body with bytes that are no UTF-8 in a text: never as if they were others', async () => {
    const broken = fc.constantFrom(
      [0x80],
      [0xe9],
      [0xc3, 0x28],
      [0xc0, 0xaf],
      [0xed, 0xa0, 0x80],
      [0xf4, 0x90, 0x80, 0x80],
    );
    await fc.assert(
      fc.asyncProperty(fc.nat(), broken, async (at, bytes) => {
        const own = Buffer.from(JSON.stringify({ ...(ask(named).body as object), text: 'x' }));
        const place = 1 + (at % (own.length - 2));
        const body = Buffer.concat([own.subarray(0, place), Buffer.from(bytes), own.subarray(place)]);
        const response = await post(body);
        if (contract.method === 'GET') judge(contract, response);
        else refused(response, 400, ['body:MALFORMED_JSON']);
      }),
      { numRuns },
    );
  });

  test('to any path parameter, query and header', async () => {
    const segment = fc.oneof(
      fc.string({ unit: 'binary', minLength: 1, maxLength: 90 }).map(encodeLoosely),
      fc.constantFrom(
        '%00',
        '%2e%2e%2f',
        '..',
        '%c0%af',
        '%ff',
        '%zz',
        '%',
        '{id}',
        '%20',
        `a${'b'.repeat(3000)}`,
        '%F0%9F%92%B8',
      ),
    );
    const query = fc.oneof(
      fc.constant(''),
      fc.webQueryParameters().map((text) => `?${text}`),
      fc.constantFrom(
        '?',
        '?&&',
        '?=&=',
        '?a',
        '?limit=1&limit=2',
        '?limit=-1',
        '?limit=1e9',
        '?cursor=%00',
        '?%zz=1',
        '?status=',
        '?__proto__=1',
      ),
    );
    const header = fc.string({
      unit: fc
        .integer({ min: 0x20, max: 0xff })
        .filter((code) => code !== 0x7f)
        .map((code) => String.fromCharCode(code)),
      maxLength: 90,
    });
    await fc.assert(
      fc.asyncProperty(segment, query, header, async (part, search, value) => {
        const valid = requestOf(contract, ask(named));
        const path = contract.path.replaceAll(/\{[^}]+\}/gu, () => part) + search;
        const headers = { ...valid.headers, 'idempotency-key': value, 'x-request-id': value };
        judge(contract, await second.raw({ ...valid, path, headers }));
      }),
      { numRuns },
    );
  });
});

/** As a path segment of a client that is not careful: what the wire cannot carry is encoded, the rest is not. */
function encodeLoosely(text: string): string {
  return Buffer.from(text, 'utf8').reduce((path, byte) => {
    const plain = byte > 0x20 && byte < 0x7f && !'/?#'.includes(String.fromCharCode(byte));
    return path + (plain ? String.fromCharCode(byte) : `%${byte.toString(16).padStart(2, '0')}`);
  }, '');
}
