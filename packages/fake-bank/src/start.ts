import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { replaceFile } from './replace-file.ts';
import { serverError } from './api/fault-responses.ts';
import { replyTo } from './api/reply.ts';
import { openArchive } from './archive.ts';
import { openBank } from './bank.ts';
import { openAuthority, subjectOf } from './certificates.ts';
import { addClient, clientAccess, ClientRequest } from './clients.ts';
import { serveControl } from './control/control-server.ts';
import { controlsOf } from './control/controls.ts';
import { serveHttps } from './https-server.ts';
import { tokenPath } from './api/tokens.ts';

export type LocalBank = Awaited<ReturnType<typeof startLocalBank>>;

/** How a bank starts. */
export type StartOptions = {
  /** Folder of its state and certificates, mode 600. */
  readonly dir: string;
  /** Ports of the API and of the control surface; 0: any free one. */
  readonly port?: number;
  readonly controlPort?: number;
  /** Milliseconds since 1970; default: the machine's clock. */
  readonly clock?: () => number;
};

/** File of the folder with the connection details of a running bank. */
export const connectionFile = 'connection.json';

/**
 * Starts the fake bank: API Pix 2.9 and Efí's payouts and claims over mTLS, and its control surface, both on loopback.
 * Its data is in the folder and survives the process, also after `kill -9`. The first start creates one client.
 */
export async function startLocalBank({ dir, port = 0, controlPort = 0, clock = Date.now }: StartOptions) {
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const authority = openAuthority(join(dir, 'certificates'));
  const archive = openArchive(join(dir, 'bank.db'));
  const webhook = authority.issue('webhook', 'webhooks.banco-local.com.br');
  const caller = { ...webhook, subject: subjectOf(webhook.cert) };
  const bank = openBank(archive, caller, clock);
  // Sends the callbacks that were waiting at the last stop.
  bank.callbacks.wake();
  const client = bank.transact(
    (common) => common.list('client')[0] ?? addClient(common, authority, ClientRequest.parse({})),
  );
  const https = { authority, port, mutualTls: true, failed: serverError(500) };
  const api = await serveHttps(https, (request) => replyTo(bank, request));
  const control = await serveControl(controlsOf({ bank, authority }), bank.callbacks.wake, controlPort);
  const connection = {
    apiUrl: api.url,
    tokenUrl: `${api.url}${tokenPath}`,
    controlUrl: control.url,
    /** Certificate of the authority that issues the bank's server and callback certificates. */
    caFile: authority.certificate.certFile,
    /** Subject of the callback certificate, as API Gateway reports it. */
    callbackSubject: caller.subject,
    client: clientAccess(authority, client),
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
