import { join } from 'node:path';
import { serveCallbacks } from '@banking-order/local-environment';
import { openAuthority } from '@banking-order/fake-bank';
import { pick } from '#shared/core/pick.ts';
import { connectionOfCallback } from '#shared/bank/connection.ts';
import type { BankEvent } from '#shared/bank/ports/bank-events.ts';
import { receiveCallback } from '#shared/bank-events/receive-callback.ts';
import type { Store } from '#shared/platform/table/store.ts';

type Called = {
  readonly pathParameters: { readonly token: string };
  readonly body: string;
  readonly requestContext: { readonly identity: { readonly clientCert: { readonly subjectDN: string } } };
};

/**
 * The host that banks call, by the service's rules and the connections of a store. `heard`: the events that would be
 * queued.
 */
export async function openReceiver(dir: string, store: Store) {
  const receivedEvents: BankEvent[] = [];
  const statuses: number[] = [];
  const front = await serveCallbacks(openAuthority(join(dir, 'certificates')), async (event) => {
    const { pathParameters, body, requestContext } = event as Called;
    const { subjectDN: subject } = requestContext.identity.clientCert;
    const { status } = await receiveCallback(
      { token: pathParameters.token, subject, body: Buffer.from(body) },
      {
        findCallee: async (token) => {
          const found = await connectionOfCallback(store, token);
          return (
            found && {
              companyId: found.companyId,
              connectionId: found.id,
              dialect: found.dialect,
              ...pick(found.callback, 'subject'),
            }
          );
        },
        takeQuota: () => Promise.resolve(true),
        findOwn: (_companyId, events) => Promise.resolve(new Set(events)),
        enqueue: (_companyId, { own }) => Promise.resolve(receivedEvents.push(...own) > 0),
      },
    );
    statuses.push(status);
    return { ok: true, payload: { statusCode: status, headers: {}, body: '{}' } };
  });
  return { ...front, heard: receivedEvents, statuses };
}
