import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SideRoutes } from '#cdk-local/api/http-server.ts';
import { jsonResponse, listen } from '#cdk-local/api/http-server.ts';
import type { DataFolder } from '#cdk-local/data-folder.ts';
import { openDataFolder } from '#cdk-local/data-folder.ts';

type Service = { readonly path: string; readonly routes: SideRoutes };

/** Options of the clients of the AWS SDK in tests. */
export const clientOptions = {
  region: 'sa-east-1',
  credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
  maxAttempts: 1,
};

/** A data folder that is deleted with `disposeAsync`, and a port for each service that a test creates on it. */
export function openServices() {
  const undo = new AsyncDisposableStack();
  const path = mkdtempSync(join(tmpdir(), 'services-'));
  undo.defer(() => {
    rmSync(path, { recursive: true });
  });
  return {
    path,
    /** Creates a service as a start does: its endpoint. */
    start: async (create: (folder: DataFolder) => Service, fresh = false): Promise<string> => {
      const folder = openDataFolder(path, { layout: 1, fresh });
      using opened = new DisposableStack();
      opened.defer(folder.release);
      const { path: route, routes } = create(folder);
      const server = await listen(0);
      undo.defer(server.stop);
      const unknown = jsonResponse(404, {});
      server.serve({ handle: () => Promise.resolve(unknown), refuse: () => unknown }, [routes]);
      return `${server.baseUrl}${route}`;
    },
    stop: () => undo.disposeAsync(),
  };
}
