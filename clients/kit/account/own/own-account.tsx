/** What its user changes of an account: the same in every app. */
import { useQueryClient } from '@tanstack/react-query';
import { useCallback } from 'react';
import { EmailSection, PasswordSection } from './credentials.tsx';
import { DeleteSection } from './delete-account.tsx';
import { PasskeysSection } from './passkeys.tsx';
import { SecondFactorSection } from './second-factor.tsx';
import classes from './section.module.css';
import { OwnAccountTexts } from './texts.ts';
import { sessionsKey, SessionsSection } from './sessions.tsx';

export function OwnAccount() {
  const queries = useQueryClient();
  const onEnded = useCallback(() => void queries.invalidateQueries({ queryKey: sessionsKey }), [queries]);
  return (
    <OwnAccountTexts>
      <div className={classes['sections']}>
        <EmailSection />
        <PasswordSection onEnded={onEnded} />
        <PasskeysSection onEnded={onEnded} />
        <SecondFactorSection onEnded={onEnded} />
        <SessionsSection />
        <DeleteSection />
      </div>
    </OwnAccountTexts>
  );
}
