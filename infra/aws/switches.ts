import type { Node } from 'constructs';
import type { EnvironmentSettings } from '../settings.ts';

/**
 * Context (`cdk deploy -c name=value`) that changes what is synthesized; every name is here. All serve a deployment of
 * the stage Local into an emulator; the other environments ignore those that could weaken them.
 */
export const contextSwitches = {
  /** `true` adds the stage Local, which must reach no account of AWS: its receivers may be on the machine itself. */
  local: 'local',
  /** `true` leaves out alarms over metric math, which MiniStack refuses. */
  withoutMathAlarms: 'withoutMathAlarms',
  /** Issuer (`iss`) of accepted tokens, in the stage Local only. */
  tokenIssuer: 'tokenIssuer',
  /** Where that issuer publishes its keys, in the stage Local only. */
  tokenJwksUri: 'tokenJwksUri',
} as const;

export function isOn(node: Node, name: keyof typeof contextSwitches): boolean {
  const value: unknown = node.tryGetContext(contextSwitches[name]);
  return value === true || value === 'true';
}

/** The settings with the issuer that the context names, where the environment is the local one. */
export function withSwitches(node: Node, settings: EnvironmentSettings): EnvironmentSettings {
  if (settings.name !== 'local') return settings;
  const issuer: unknown = node.tryGetContext(contextSwitches.tokenIssuer);
  const jwksUri: unknown = node.tryGetContext(contextSwitches.tokenJwksUri);
  const tokens = {
    ...settings.tokens,
    ...(typeof issuer === 'string' && { issuers: [issuer] }),
    ...(typeof jwksUri === 'string' && { jwksUri }),
  };
  return { ...settings, tokens };
}
