import { registerHooks } from 'node:module';

/*
 * Puts the parts of the simulation in the places of the machine's, for the modules of the service alone: what the
 * functions import by these names is what the world gives them. Import it before anything of the service.
 */

const here = (file: string): string => new URL(file, import.meta.url).href;

/** Modules of Node and of the SDK, by the names that the service imports. */
const replaced: Readonly<Record<string, string>> = {
  'node:crypto': here('fakes/crypto.ts'),
  'node:timers/promises': here('fakes/timers.ts'),
  'node:dns/promises': here('fakes/dns.ts'),
  'node:net': here('fakes/net.ts'),
  'node:tls': here('fakes/net.ts'),
  'node:http': here('fakes/http.ts'),
  '@aws-sdk/client-kms': here('fakes/kms.ts'),
  '@aws-sdk/client-s3': here('fakes/s3.ts'),
  '@aws-sdk/client-sqs': here('fakes/sqs.ts'),
  '@aws-sdk/client-sesv2': here('fakes/codes.ts'),
  '@aws-sdk/client-sns': here('fakes/codes.ts'),
};

/** Files of the service: those at which it meets its table and its bank, and one that costs a tenth of the time. */
const seams: readonly (readonly [string, string])[] = [
  ['/shared/platform/table/dynamo-store.ts', here('fakes/table.ts')],
  ['/functions/banks.ts', here('fakes/banks.ts')],
  ['/shared/contract/qr-image.ts', here('fakes/qr-image.ts')],
];

const isOfService = (parent: string | undefined): boolean =>
  parent !== undefined && /\/(functions|shared)\//u.test(parent) && !parent.includes('/node_modules/');

registerHooks({
  resolve: (specifier, context, next) => {
    if (!isOfService(context.parentURL)) return next(specifier, context);
    const replacement = replaced[specifier];
    if (replacement !== undefined) return { url: replacement, shortCircuit: true };
    const resolved = next(specifier, context);
    const seam = seams.find(([path]) => resolved.url.endsWith(path));
    return seam === undefined ? resolved : { ...resolved, url: seam[1] };
  },
});
