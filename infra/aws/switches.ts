import type { Node } from 'constructs';
import type { EnvironmentSettings } from '../settings.ts';

/**
 * Every context value (`cdk deploy -c name=value`) of the synthesis. They serve a deployment of the stage Local into an
 * emulator; the other environments ignore them.
 */
export const contextSwitches = {
  /** `true` adds the stage Local, which no AWS account may have: it allows receivers on the machine itself. */
  local: 'local',
  /** Issuer (`iss`) of accepted tokens, in the stage Local only. */
  tokenIssuer: 'tokenIssuer',
  /** Address of that issuer's keys, in the stage Local only. */
  tokenJwksUri: 'tokenJwksUri',
} as const;

export function isOn(node: Node, name: keyof typeof contextSwitches): boolean {
  const value: unknown = node.tryGetContext(contextSwitches[name]);
  return value === true || value === 'true';
}

/** The settings; in the stage Local with the issuer of the context. */
export function withSwitches(node: Node, settings: EnvironmentSettings): EnvironmentSettings {
  if (settings.name !== 'local') return settings;
  const issuer: unknown = node.tryGetContext(contextSwitches.tokenIssuer);
  const jwksUri: unknown = node.tryGetContext(contextSwitches.tokenJwksUri);
  const named = {
    ...(typeof issuer === 'string' && { issuers: [issuer] }),
    ...(typeof jwksUri === 'string' && { jwksUri }),
  };
  return { ...settings, tokens: { ...settings.tokens, ...named } };
}
