import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { openArchive } from '../archive.ts';
import { openAuthority } from '../certificates.ts';
import { serveControl } from '../control/control-server.ts';
import { serveHttps } from '../https-server.ts';
import { replaceFile } from '../replace-file.ts';
import type { StartOptions } from '../start.ts';
import { connectionFile } from '../start.ts';
import { openQiBank } from './bank.ts';
import { addClient, clientAccess, ClientRequest } from './clients.ts';
import { controlsOf } from './control/controls.ts';
import type { Kinds } from './model.ts';
import { faultResponses } from './refusals.ts';
import { replyTo } from './reply.ts';
import { keepSigningKey } from './signing-keys.ts';

export type QiTech = Awaited<ReturnType<typeof startQiTech>>;

/**
 * Starts the bank QI Tech, as its pages show it: accounts, directory, Pix, refunds and TED by signed calls over HTTPS,
 * and its control surface, both on loopback. Its data is in the folder and survives the process, also after `kill -9`.
 * The first start creates one client, with a key of its own.
 */
export async function startQiTech({ dir, port = 0, controlPort = 0, clock = Date.now }: StartOptions) {
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const authority = openAuthority(join(dir, 'certificates'));
  const archive = openArchive<Kinds>(join(dir, 'qitech.db'));
  const keys = join(dir, 'keys');
  const own = keepSigningKey(keys, 'bank');
  const clientKey = keepSigningKey(keys, 'client');
  const bank = openQiBank(archive, own.privateKey, clock);
  // Sends the webhooks that were waiting at the last stop.
  bank.callbacks.wake();
  const ground = { archive, ids: bank.ids, nowMs: clock() };
  const client = bank.transact(
    (common) => common.list('client')[0] ?? addClient(ground, ClientRequest.parse({ public_key: clientKey.publicKey })),
  );
  const https = { authority, port, mutualTls: false, failed: faultResponses.serverError(500) };
  const api = await serveHttps(https, (request) => replyTo(bank, request));
  const control = await serveControl(controlsOf({ bank, archive }), bank.callbacks.wake, controlPort);
  const connection = {
    apiUrl: api.url,
    controlUrl: control.url,
    /** Certificate of the authority that issues the server's certificate. */
    caFile: authority.certificate.certFile,
    /** Key that verifies webhooks and responses, PEM. */
    bankPublicKeyFile: own.publicKeyFile,
    client: { ...clientAccess(ground, client), privateKeyFile: clientKey.privateKeyFile },
  };
  replaceFile(join(dir, connectionFile), `${JSON.stringify(connection, null, 2)}\n`);
  return {
    ...connection,
    close: async (): Promise<void> => {
      await Promise.all([api.close(), control.close(), bank.callbacks.close()]);
      archive.close();
    },
  };
}
