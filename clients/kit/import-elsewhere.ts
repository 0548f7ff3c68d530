/**
 * Imports a module whose file could not be fetched from another address. Chromium before 156 and Safari to 27 keep a failure as long as the page
 * lives, and ask for the file at no time again (https://github.com/whatwg/html/pull/10327).
 */
import { ignoreFailure } from './missing-files.ts';

/** Of the file that is missing: Chromium and Firefox say it at the end of the message, and nowhere else. */
const addressAtEnd = /https?:\/\/\S+\.js$/u;

/** By their first address, so that a module of two parts is one module. */
const modules = new Map<string, Promise<unknown>>();
let tries = 0;

/**
 * @param failure of an import, of which nothing is said
 * @throws the failure, where there is no other address
 */
export async function importElsewhere(failure: unknown): Promise<unknown> {
  ignoreFailure(failure);
  const address = failure instanceof Error ? addressAtEnd.exec(failure.message)?.[0] : undefined;
  if (address === undefined || new URL(address).origin !== location.origin) throw failure;
  const module = modules.get(address) ?? importOther(`${address}?again=${++tries}`);
  modules.set(address, module);
  try {
    return await module;
  } catch (failedAgain) {
    modules.delete(address);
    throw failedAgain;
  }
}

async function importOther(address: string): Promise<unknown> {
  try {
    return (await import(/* @vite-ignore */ address)) as unknown;
  } catch (failure) {
    ignoreFailure(failure);
    throw failure;
  }
}
