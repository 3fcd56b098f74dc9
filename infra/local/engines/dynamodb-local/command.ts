import { join } from 'node:path';
import { jars } from './install.ts';

/**
 * The command line of Amazon's DynamoDB Local on a port of 127.0.0.1; `installDynamoDbLocal` has brought its jars.
 *
 * @param folder Where it keeps its data, a folder that is there; in memory without one.
 */
export function dynamoDbLocalCommand(port: number, folder?: string): readonly [string, ...string[]] {
  return [
    'java',
    `-Dport=${port}`,
    `-DinMemory=${folder === undefined}`,
    ...(folder === undefined ? [] : [`-DdbPath=${folder}`]),
    `-Djava.library.path=${jars}`,
    '-cp',
    join(jars, '*'),
    'org.eclipse.jetty.xml.XmlConfiguration',
    join(import.meta.dirname, 'server.xml'),
  ];
}
