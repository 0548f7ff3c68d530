/** The account of who is signed in. */
import { OwnAccount } from '../../kit/account/own/own-account.tsx';
import { useProfile } from '../../kit/people/use-profile.ts';
import { Facts } from '../parts/facts.tsx';
import { Page } from '../parts/page.tsx';
import { useCaller } from '../shell/caller.ts';
import { useTexts } from '../texts/index.ts';

export function Account() {
  const texts = useTexts().account;
  const { data: caller } = useCaller();
  const { profile } = useProfile();
  const { email = '–', emailVerified = false } = caller?.user ?? {};
  return (
    <Page title={texts.title}>
      <Facts
        facts={[
          [texts.name, <bdi key="name">{profile?.displayName ?? '–'}</bdi>],
          [texts.email, <bdi key="email">{email}</bdi>],
          [texts.confirmed, emailVerified ? texts.isConfirmed : texts.isNotConfirmed],
        ]}
      />
      <OwnAccount />
    </Page>
  );
}
