import { Resolver } from 'node:dns/promises';
import { expect, it, vi } from 'vitest';
import { resolver } from '#shared/platform/target-guard.ts';
import { silentServer } from './silent-server.ts';

it('the resolver asks for IPv6 addresses when a name has no others', async () => {
  // RFC 1035, 4.1: the header says how many answers follow the question. An answer points at the question's name.
  const aaaa = 28;
  const address = Buffer.from('26064700470000000000000000001111', 'hex');
  const response = Buffer.concat([Buffer.from('c00c001c00010000003c0010', 'hex'), address]);
  using server = await silentServer((question) => {
    const end = question.indexOf(0, 12) + 5;
    const type = question.readUInt16BE(end - 4);
    const counts = Buffer.from(type === aaaa ? '81800001000100000000' : '81800001000000000000', 'hex');
    const head = Buffer.concat([question.subarray(0, 2), counts, question.subarray(12, end)]);
    return type === aaaa ? Buffer.concat([head, response]) : head;
  });
  const found = await resolver([server.address])('partner.example');
  expect(found).toEqual([{ address: '2606:4700:4700::1111', family: 6 }]);
});

it('the resolver ends with the call that asked', async () => {
  using server = await silentServer();
  const startedAt = performance.now();
  await expect(resolver([server.address])('partner.example', AbortSignal.timeout(100))).rejects.toThrow();
  expect(performance.now() - startedAt).toBeLessThan(3000);
});

it('the resolver knows a subdomain of localhost without a query to a name server', async () => {
  using server = await silentServer();
  const found = await resolver([server.address])('hooks.localhost');
  expect(found.map(({ address }) => address)).toEqual(['127.0.0.1', '::1']);
  expect(server.asked()).toBe(0);
});

it('the resolver knows localhost names, also with the dot of the root, without a query to a name server', async () => {
  using server = await silentServer();
  const loopback = [
    { address: '127.0.0.1', family: 4 },
    { address: '::1', family: 6 },
  ];
  for (const name of ['localhost', 'localhost.', 'a.localhost.'])
    expect(await resolver([server.address])(name)).toEqual(loopback);
  expect(server.asked()).toBe(0);
});

it('the resolver asks the name servers of the system unless others are named', async () => {
  const named = vi.spyOn(Resolver.prototype, 'setServers');
  vi.spyOn(Resolver.prototype, 'resolve4').mockResolvedValue(['192.0.2.1'] as never);
  await resolver()('partner.example');
  expect(named).not.toHaveBeenCalled();
  await resolver(['192.0.2.53'])('partner.example');
  expect(named.mock.calls).toEqual([[['192.0.2.53']]]);
});
