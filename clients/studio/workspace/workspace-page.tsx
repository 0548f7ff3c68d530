/** A workspace: its projects. */
import { Page, Section } from '../parts/page.tsx';
import { useWorkspace } from '../shell/workspace.tsx';
import { useTexts } from '../texts/index.ts';
import { Projects } from './projects.tsx';
import { SecondFactorDemand } from './second-factor.tsx';

export function WorkspacePage() {
  const texts = useTexts().workspace;
  const { workspace } = useWorkspace();
  return (
    <Page title={workspace.name} about={texts.about}>
      <Section title={texts.projects}>
        <Projects />
      </Section>
      <Section title={texts.secondFactor.title}>
        <SecondFactorDemand />
      </Section>
    </Page>
  );
}
