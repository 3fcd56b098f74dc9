import type { APIGatewayProxyEvent } from 'aws-lambda';

type Headers = Partial<Pick<APIGatewayProxyEvent, 'headers' | 'multiValueHeaders'>>;

/**
 * All values of a header by its lower-case name, each as often as it was sent. `headers` of a proxy event holds only
 * the last one; it is read where `multiValueHeaders` are not sent along.
 */
export function headerValues({ multiValueHeaders, headers }: Headers, name: string): readonly string[] {
  const all = valueOf<readonly string[]>(multiValueHeaders, name).flat();
  return all.length > 0 ? all : valueOf(headers, name);
}

function valueOf<T>(headers: Readonly<Record<string, T | undefined>> | null | undefined, name: string): readonly T[] {
  return Object.entries(headers ?? {}).flatMap(([key, value]) =>
    key.toLowerCase() === name && value !== undefined ? [value] : [],
  );
}
