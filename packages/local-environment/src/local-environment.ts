// The public entry: everything that other packages and programs may import.
export { serveCallbacks } from './bank/callback-front.ts';
export { startTokenIssuer, tokenPath } from './identity/token-issuer.ts';
export type { SampleAccount } from './sandbox.ts';
export { samples, seedSandbox } from './sandbox.ts';
