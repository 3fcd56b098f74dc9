import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PNG } from 'pngjs';
import { afterAll, describe, expect, test } from 'vitest';
import { LocalStartError, openDataFolder } from '@banking-order/cdk-local';
import { openDeliveryLog } from '#partner-tools/listen/delivery-log.ts';
import type { HttpResponse } from '#partner-tools/api/http.ts';
import { connectPartner } from '#partner-tools/api/client.ts';
import { readSandbox } from '#partner-tools/sandbox.ts';
import { showQrCode } from '#partner-tools/scenarios/steps/subscriptions.ts';
import { createReporter } from '#partner-tools/scenarios/reporter.ts';
import { qrImageBase64 } from '#shared/contract/qr-image.ts';
import { root } from '#test/architecture/sources.ts';

const folder = mkdtempSync(join(tmpdir(), 'plain-words-'));
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

const company = {
  ...{ companyId: 'c', name: 'Loja', clientId: 'client-1', clientSecret: 'wrong', webhookSecret: 'whsec_old' },
  accounts: [{ id: 'a', status: 'ACTIVE', fullName: 'Ana', document: { type: 'CPF' as const, number: '52998224725' } }],
};

/** Runs a tool for the company, at an environment whose token endpoint gives this answer. */
async function runWith(answer: { status: number; text: string }, tool: string, ...args: readonly string[]) {
  const server = createServer((_request, response) => response.writeHead(answer.status).end(answer.text));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const baseUrl = `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`;
  const file = join(folder, 'sandbox.json');
  writeFileSync(file, JSON.stringify({ baseUrl, tokenUrl: `${baseUrl}/token`, scope: 'scope', companies: [company] }));
  const main = join(root, 'tools/kit/command.ts');
  const outcome = await new Promise<{ code: unknown; err: string }>((resolve) => {
    execFile(process.execPath, [main, tool, ...args, '--sandbox', file], (error, _out, err) => {
      resolve({ code: error === null ? 0 : error.code, err });
    });
  });
  server.close();
  return { ...outcome, tokenUrl: `${baseUrl}/token` };
}

describe('a refused request for a token', () => {
  const refusal = { status: 401, text: '{"error":"invalid_client"}' };

  test.each([
    ['listen', '--forward-to', 'http://127.0.0.1:9/'],
    ['scenario', 'payout-lost-reply'],
  ])('is printed with the token URL and the remedy when the tool is %s', async (tool, ...args) => {
    const { code, err, tokenUrl } = await runWith(refusal, tool, ...args);
    expect(err.trim().split('\n')).toEqual([
      `✘ The token endpoint ${tokenUrl} rejected the client client-1 (401 invalid_client).`,
      expect.stringMatching(/^ {2}Check clientId, clientSecret, scope and tokenUrl /u),
    ]);
    expect(code).toBe(1);
  });

  test.each([
    { status: 200, text: '<html>' },
    { status: 502, text: '' },
  ])('is printed with the token URL when the response %j has no token', async (response) => {
    const { code, err, tokenUrl } = await runWith(response, 'listen', '--forward-to', 'http://127.0.0.1:9/');
    expect(err).toContain(`✘ The token endpoint ${tokenUrl} returned no token (${response.status}).`);
    expect(err).not.toContain('    at ');
    expect(code).toBe(1);
  });

  test.each([
    [401, 'ends the reading of the delivery log'],
    [503, 'is repeated later'],
  ])('with status %d %s', async (status) => {
    const addresses = { baseUrl: 'http://127.0.0.1:9', tokenUrl: 'http://127.0.0.1:9/token', scope: 'scope' };
    const send = (): Promise<HttpResponse> => Promise.resolve({ status, headers: {}, text: '{}' });
    const stop = new AbortController();
    const away: string[] = [];
    const whenAway = (because: string): void => {
      away.push(because);
      stop.abort();
    };
    const log = openDeliveryLog(() => connectPartner(addresses, company, send), stop.signal, whenAway);
    await expect(log.newest()).rejects.toThrow(status === 401 ? 'rejected the client client-1' : 'aborted');
    expect(away).toHaveLength(status === 401 ? 0 : 1);
  });
});

describe('the QR code of a scenario', () => {
  const text = '00020126330014br.gov.bcb.pix';
  const blank = PNG.sync.write(new PNG({ width: 40, height: 40 })).toString('base64');

  test.each([
    ['an empty image', '', 'Check failed: there is a QR code. Found: its text or its image is empty'],
    ['an image that is no PNG', Buffer.from('hello').toString('base64'), 'The image of the QR code is not a PNG.'],
    ['half a PNG', qrImageBase64(text).slice(0, 200), 'The image of the QR code is not a PNG.'],
    [
      'an image without a QR code',
      blank,
      'Check failed: the image encodes the text. Found: the image shows no QR code',
    ],
    ['an image of another QR code', qrImageBase64('other'), 'Check failed: the image encodes the text. Found: other'],
  ])('ends the scenario with a plain message when it has %s', (_which, qrcodeImageBase64, expectedMessage) => {
    const show = () => {
      showQrCode(
        createReporter(() => undefined),
        { qrcodeData: text, qrcodeImageBase64 },
      );
    };
    expect(show).toThrow(expect.objectContaining({ name: 'ToolFailure', message: expectedMessage }));
  });

  test('with its own image is shown', () => {
    const lines: string[] = [];
    showQrCode(
      createReporter((line) => lines.push(line)),
      { qrcodeData: text, qrcodeImageBase64: qrImageBase64(text) },
    );
    expect(lines.at(-1)).toContain('✔ the image encodes the text');
    expect(lines.join('\n')).not.toContain('█');
  });

  test('is drawn where pictures are asked for', () => {
    const lines: string[] = [];
    const reporter = createReporter((line) => lines.push(line), { pictures: true });
    showQrCode(reporter, { qrcodeData: text, qrcodeImageBase64: qrImageBase64(text) });
    expect(lines.filter((line) => line.includes('█')).length).toBeGreaterThan(10);
  });
});

describe('a folder that is not ours', () => {
  test('stops the start of an environment in one line', () => {
    const path = join(folder, 'taken');
    writeFileSync(path, '');
    mkdirSync(join(folder, 'odd/lock.db'), { recursive: true });
    for (const own of [path, join(folder, 'odd')]) {
      const open = () => openDataFolder(own, { layout: 1 });
      expect(open).toThrow(LocalStartError);
      expect(open).toThrow(new RegExp(`^${own} cannot be written \\(.*\\)\\. .*LOCAL_DIR\\.$`, 'u'));
    }
  });

  test('is said of a sandbox file that is there and cannot be read', () => {
    expect(() => readSandbox(folder)).toThrow(`Cannot read the sandbox file ${folder}: EISDIR.`);
    expect(() => readSandbox(join(folder, 'none.json'))).toThrow('There is no sandbox file');
  });
});
