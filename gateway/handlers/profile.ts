/** The profile of the signed-in user. */
import { invalid, type Issue, ServiceError } from '../../protocol/errors.ts';
import type { profileOperations } from '../../protocol/operations/index.ts';
import {
  maxSavedFilters,
  maxSavedFiltersOfUser,
  type UpdateProfileBody,
} from '../../protocol/resources/index.ts';
import { findProfile, TooManySavedFilters, updateProfile } from '../../storage/accounts/index.ts';
import type { Database } from '../../storage/database/index.ts';
import type { Handlers } from '../pipeline/index.ts';
import { requireUser } from './caller.ts';

/** 422 for a language or a time zone that does not exist, and for more filters than one may keep. */
export function profileHandlers(
  database: Pick<Database, 'query' | 'em'>,
): Handlers<typeof profileOperations> {
  return {
    getProfile: async call => ({
      body: requirePresent(await findProfile(database, requireUser(call).userId)),
    }),

    updateProfile: async call => {
      const { userId } = requireUser(call);
      checkSettings(call.body);
      try {
        return { body: requirePresent(await updateProfile(database, userId, call.body, call.now)) };
      } catch (error) {
        throw error instanceof TooManySavedFilters ? refuseFilters() : error;
      }
    },
  };
}

function refuseFilters(): ServiceError {
  const message = `must be at most ${maxSavedFilters} of a project, and ${maxSavedFiltersOfUser} in all`;
  return invalid([{ path: '/body/savedFilters', message, code: 'maxProperties' }]);
}

/** Whoever signed in and is no user any more has no session either. */
function requirePresent<T>(profile: T | undefined): T {
  if (profile === undefined) throw new ServiceError('svc/auth/invalid_token');
  return profile;
}

function checkSettings({ language, timeZone }: Pick<UpdateProfileBody, 'language' | 'timeZone'>): void {
  const issues: Issue[] = [];
  if (typeof language === 'string' && !isValid(() => Intl.getCanonicalLocales(language))) {
    issues.push({ path: '/body/language', message: 'must be a language tag (BCP 47)', code: 'language' });
  }
  if (typeof timeZone === 'string' && !isTimeZone(timeZone)) {
    const message = 'must be the name of a time zone, such as Europe/Berlin';
    issues.push({ path: '/body/timeZone', message, code: 'timeZone' });
  }
  if (issues.length > 0) throw invalid(issues);
}

/** A name, and not an offset, which knows no summer. */
function isTimeZone(name: string): boolean {
  return /^[A-Za-z]/.test(name) && isValid(() => new Intl.DateTimeFormat('en', { timeZone: name }));
}

/** Whether it does not throw. */
function isValid(parse: () => unknown): boolean {
  try {
    parse();
    return true;
  } catch {
    return false;
  }
}
