import type { BankConnection } from '#shared/bank/connection.ts';
import { samePixKey } from '#shared/core/pix-key.ts';
import type { Capabilities } from '#shared/bank/capabilities.ts';
import type { Check } from '../manifest.ts';
import { operationOf } from './operation.ts';

/** OAuth scopes as Efí names them. */
function scopes(can: Capabilities): readonly string[] {
  const { byKey, staticCode, dynamicCode, accountTypes } = can.payouts;
  const pays = byKey || staticCode || dynamicCode || accountTypes.length > 0;
  return [
    ...['webhook.read', 'webhook.write'],
    ...(can.charges ? ['cob.read', 'cob.write', 'pix.read'] : []),
    ...(can.refunds ? ['pix.write'] : []),
    ...(can.claims ? ['gn.infractions.read', 'gn.infractions.write'] : []),
    ...(can.recurrences
      ? ['rec.read', 'rec.write', 'cobr.read', 'cobr.write', 'payloadlocationrec.read', 'payloadlocationrec.write']
      : []),
    ...(can.recurrences ? ['webhookrec.read', 'webhookrec.write', 'webhookcobr.read', 'webhookcobr.write'] : []),
    ...(pays ? ['pix.send', 'gn.pix.send.read'] : []),
    ...(staticCode || dynamicCode ? ['gn.qrcodes.pay'] : []),
    ...(dynamicCode ? ['gn.qrcodes.read'] : []),
    ...(can.balance ? ['gn.balance.read'] : []),
  ];
}

/** Returns the paths of the webhooks: one for each key, one for all recs, one for all cobrs. */
function webhooks({ accounts }: BankConnection, { recurrences }: Capabilities): readonly string[] {
  const chaves = new Set(Object.values(accounts).flatMap(({ chave }) => chave ?? []));
  return [
    ...[...chaves].map((chave) => `/v2/webhook/${encodeURIComponent(chave)}`),
    ...(recurrences ? ['/v2/webhookrec', '/v2/webhookcobr'] : []),
  ];
}

export const check: Check = {
  scopes,
  lists: (can) => [
    ...(can.charges ? ['/v2/cob', '/v2/pix'] : []),
    ...(can.recurrences ? ['/v2/rec', '/v2/cobr'] : []),
    ...(can.payouts.byKey ? ['/v2/gn/pix/enviados'] : []),
    ...(can.claims ? ['/v2/gn/infracoes'] : []),
  ],
  balance: '/v2/gn/saldo',
  window: (inicio, fim) => new URLSearchParams({ inicio, fim }).toString(),
  webhooks: {
    paths: webhooks,
    isOf: (path, key) => {
      const registered = path.startsWith('/v2/webhook/')
        ? decodeURIComponent(path.slice('/v2/webhook/'.length))
        : undefined;
      return registered === undefined || samePixKey(registered, key);
    },
    nameOf: (path) => (path.startsWith('/v2/webhook/') ? 'webhook of a chave' : path.slice('/v2/'.length)),
  },
  operation: operationOf,
};
