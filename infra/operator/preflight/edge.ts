import { DescribeCertificateCommand } from '@aws-sdk/client-acm';
import { GetObjectCommand, NoSuchBucket, NoSuchKey } from '@aws-sdk/client-s3';
import type { Clock } from '#shared/core/brasilia-time.ts';
import { plusDays } from '#shared/core/brasilia-time.ts';
import { authoritiesBucket, truststoreKey } from '#infra/authorities.ts';
import { authoritiesOf } from '#infra/operator/bank-truststore.ts';
import { UsageError } from '#infra/operator/values.ts';
import type { EnvironmentSettings } from '#infra/settings.ts';
import type { AccountClients } from './clients.ts';
import type { Check, Verdict } from './finding.ts';

/** Days before its expiry by which ACM has renewed a certificate: one that expires sooner was not renewed. */
const renewedDays = 30;

type Host = { readonly setting: string; readonly hostName: string; readonly certificateArn: string };
type DeploymentTarget = { readonly account: string; readonly region: string };

/** Returns the checks of the certificates and truststores of the environment's hosts. */
export function edgeChecks(
  clients: AccountClients,
  { name, api, callbacks }: EnvironmentSettings,
  target: DeploymentTarget,
  now: Clock,
): readonly Check[] {
  const hosts = [
    ...(api.domain === undefined ? [] : [{ setting: 'api.domain', ...api.domain }]),
    ...(callbacks?.domain === undefined ? [] : [{ setting: 'callbacks.domain', ...callbacks.domain }]),
  ];
  const banks = callbacks?.authorities === true && callbacks.domain !== undefined;
  const stores = [
    ...(api.domain?.clientAuthorities === undefined ? [] : [['api.domain', api.domain.clientAuthorities] as const]),
    ...(banks
      ? [['callbacks', `s3://${authoritiesBucket(name, target.account, target.region)}/${truststoreKey}`] as const]
      : []),
  ];
  return [
    ...hosts.map((host) => ({
      name: `ACM: certificate of ${host.setting}`,
      action: `acm:DescribeCertificate on ${host.certificateArn}`,
      judge: () => judgeCertificate(clients, host, target, now()),
    })),
    ...stores.map(([setting, address]) => ({
      name: `S3: truststore of ${setting}`,
      action: `s3:GetObject on ${address} and s3:ListBucket on its bucket`,
      judge: () => judgeTruststore(clients, address, now()),
    })),
  ];
}

async function judgeCertificate(
  { certificates }: AccountClients,
  { setting, hostName, certificateArn }: Host,
  { region }: DeploymentTarget,
  at: string,
): Promise<Verdict> {
  const [, , , ofRegion = ''] = certificateArn.split(':');
  const cure = (step: string): string =>
    `${step}, and set its ARN as ${setting}.certificateArn: docs/deployment.md, step 3.`;
  if (ofRegion !== region)
    return { error: `the certificate is in ${ofRegion}, the API in ${region}`, cure: cure(`Request one in ${region}`) };
  const { Certificate: found } = await certificates.send(
    new DescribeCertificateCommand({ CertificateArn: certificateArn }),
  );
  if (found?.Status !== 'ISSUED')
    return {
      error: `the status of the certificate is ${found?.Status ?? 'unknown'}`,
      cure: 'Create its DNS validation record, and wait until its status is ISSUED: docs/deployment.md, step 3.',
    };
  const names = [...new Set([found.DomainName ?? '', ...(found.SubjectAlternativeNames ?? [])])];
  if (!names.some((name) => covers(name, hostName)))
    return {
      error: `the certificate is for ${names.join(', ')}, not for ${hostName}`,
      cure: cure(`Request one for ${hostName}`),
    };
  const end = found.NotAfter?.toISOString() ?? '';
  if (end.slice(0, 10) < plusDays(at.slice(0, 10), renewedDays))
    return {
      error: `the certificate expires on ${end}`,
      cure: cure('Find out why ACM does not renew it, or request another one'),
    };
  return { ok: `${hostName}, valid until ${end}` };
}

/** Returns whether a certificate's name covers a host. `*.example.com` covers exactly one label before the domain. */
function covers(name: string, host: string): boolean {
  const [first = '', ...rest] = name.split('.');
  const [, ...parent] = host.split('.');
  return name === host || (first === '*' && rest.join('.') === parent.join('.'));
}

async function judgeTruststore({ buckets }: AccountClients, address: string, at: string): Promise<Verdict> {
  const [, bucket = '', key = ''] = /^s3:\/\/([^/]+)\/(.+)$/u.exec(address) ?? [];
  const cure = address.endsWith(`/${truststoreKey}`)
    ? 'Write it with npm run operator -- bank:truststore (docs/real-bank.md) before you deploy the domain.'
    : `Upload the certificates of the authorities in PEM: aws s3 cp FILE ${address}`;
  try {
    const { Body } = await buckets.send(new GetObjectCommand({ Bucket: bucket, Key: key }));
    const found = authoritiesOf((await Body?.transformToString()) ?? '', address, at);
    const [first = ''] = found.map(({ validToDate }) => validToDate.toISOString()).toSorted();
    return { ok: `${found.length} certificates of authorities; the first expires on ${first}` };
  } catch (error) {
    if (error instanceof NoSuchKey || error instanceof NoSuchBucket)
      return { error: `${address} does not exist`, cure };
    if (error instanceof UsageError) return { error: error.message, cure };
    throw error;
  }
}
