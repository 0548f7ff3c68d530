/** The service as a whole, for those who operate it. */
import { notFound } from '../../protocol/errors.ts';
import type { systemOperations } from '../../protocol/operations/index.ts';
import type { InstanceAdmins } from '../auth/index.ts';
import type { Handlers } from '../pipeline/index.ts';
import type { SystemReader } from '../system/index.ts';
import { requireUser } from './caller.ts';

export interface SystemServices {
  readonly system: Pick<SystemReader, 'read'>;
  readonly instanceAdmins: Pick<InstanceAdmins, 'has'>;
}

export function systemHandlers({
  system,
  instanceAdmins,
}: SystemServices): Handlers<typeof systemOperations> {
  return {
    getSystem: async call => {
      if (!instanceAdmins.has(requireUser(call))) throw notFound();
      return { body: await system.read() };
    },
  };
}
