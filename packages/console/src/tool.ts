import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { OptionsOf } from '@banking-order/partner-tools';
import {
  defineTool,
  printFor,
  readSandbox,
  sandboxFile,
  sandboxOption,
  ToolFailure,
} from '@banking-order/partner-tools';
import type { ConsoleResponse } from './server/http.ts';
import { respondWithError, redirect } from './server/http.ts';
import type { ConsoleRoutes } from './server/console.ts';
import { createConsole } from './server/console.ts';
import { createRequestLog } from './server/requests.ts';

type Options = OptionsOf<'sandbox' | 'receiver'> & { readonly port: string };

async function run(given: Options): Promise<void> {
  const { port, receiver } = given;
  if (!/^\d{1,5}$/u.test(port) || Number(port) > 65_535)
    throw new ToolFailure(`--port must be a number from 0 to 65535, not ${port}.`, 'The default is 3001.');
  const file = sandboxFile(given.sandbox);
  const { baseUrl, companies } = readSandbox(file);
  const routes = createConsole({
    sandboxFile: file,
    receiver: receiver ?? localReceiver(baseUrl),
    requests: createRequestLog(),
    requestsOf: 'console',
  });
  const { server, address } = await serve(routes, Number(port));
  const url = `${address}/console/`;
  printFor(given)(`console ${url} for ${baseUrl} (${companies.length} companies). Ctrl-C stops it.`, {
    kind: 'console',
    url,
    baseUrl,
  });
  await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
  server.close();
  server.closeAllConnections();
}

/** Returns the receiver that is part of a local environment; undefined for any other environment. */
function localReceiver(baseUrl: string): string | undefined {
  return /^http:\/\/(127\.0\.0\.1|localhost)(:\d+)?$/u.test(baseUrl) ? `${baseUrl}/receiver/console` : undefined;
}

/** Serves the console on loopback. Redirects every other path to it. */
async function serve(routes: ConsoleRoutes, port: number): Promise<{ server: Server; address: string }> {
  const server = createServer((message, response) => {
    const give = ({ status, headers, body }: ConsoleResponse): void => {
      response.writeHead(status, { ...headers, 'Content-Length': body.length }).end(body);
    };
    const route = routes(message);
    if (route === undefined) {
      give(redirect('/console/'));
      return;
    }
    const chunks: Buffer[] = [];
    message.on('data', (chunk: Buffer) => chunks.push(chunk));
    message.on('end', () => {
      void route(Buffer.concat(chunks)).then(give, () => {
        give(respondWithError(500, 'The console has an internal error.'));
      });
    });
  });
  server.listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch {
    throw new ToolFailure(`Cannot listen on port ${port}.`, 'Choose another port with --port (0: any free port).');
  }
  const address = server.address();
  const bound = typeof address === 'object' && address !== null ? address.port : port;
  return { server, address: `http://127.0.0.1:${bound}` };
}

/** The console for any environment, by its sandbox file. */
export const consoleTool = defineTool(
  'console',
  'Serves the console of any environment for the browser. A local environment serves its own console at /console.',
)
  .addOption(sandboxOption)
  .option('--port <N>', 'port on this machine; 0: any free one', '3001')
  .option(
    '--receiver <URL>',
    'endpoint that one click registers for notifications (default: the receiver of a local environment)',
  )
  .action(run);
