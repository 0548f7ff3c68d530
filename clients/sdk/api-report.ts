/**
 * `node .config/launch.js clients/sdk/api-report.ts`: writes sdk.api.md, every name that the package exports with its signature. Who changes the
 * public interface sees it in the difference; a test holds the file to the code.
 */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Extractor, ExtractorConfig } from '@microsoft/api-extractor';
import { build } from './build.ts';

const reportFile = 'sdk.api.md';

/** @param folder where `build` has put the package; the report and a file that has both entries are left there */
export async function createApiReport(folder: string): Promise<string> {
  const entry = join(folder, 'dist', 'esm', 'both.d.ts');
  await writeFile(entry, "export * from './index.js';\nexport * from './webhooks.js';\n");
  const compilerOptions = {
    target: 'es2022',
    lib: ['es2022', 'dom', 'dom.iterable'],
    module: 'nodenext',
    types: [],
  };
  const config = ExtractorConfig.prepare({
    configObject: {
      projectFolder: folder,
      mainEntryPointFilePath: entry,
      compiler: { overrideTsconfig: { compilerOptions, files: [entry] } },
      apiReport: {
        enabled: true,
        reportFolder: folder,
        reportTempFolder: folder,
        reportFileName: reportFile,
      },
      messages: {
        extractorMessageReporting: { default: { logLevel: 'none' } as never },
        tsdocMessageReporting: { default: { logLevel: 'none' } as never },
      },
    },
    configObjectFullPath: undefined,
    packageJsonFullPath: join(folder, 'package.json'),
  });
  const { succeeded } = Extractor.invoke(config, {
    localBuild: true,
    messageCallback: message => (message.handled = message.logLevel !== 'error'),
  });
  if (!succeeded) throw new Error('the report could not be made');
  return (await readFile(join(folder, reportFile), 'utf8')).replaceAll('\r\n', '\n');
}

if (import.meta.main) {
  const folder = await mkdtemp(join(tmpdir(), 'skein-sdk-'));
  try {
    await build(folder);
    await writeFile(fileURLToPath(new URL(reportFile, import.meta.url)), await createApiReport(folder));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
