/** A workspace: its projects, and what is done to it as a whole. */
import { Page, Section } from '../parts/page.tsx';
import { useWorkspace } from '../shell/workspace.tsx';
import { texts as allTexts } from '../texts/workspace.ts';
import { CreateProject } from './create-project.tsx';
import { Projects } from './projects.tsx';
import { SecondFactorDemand } from './second-factor.tsx';
import { SingleSignOn } from './single-sign-on.tsx';
import { WorkspaceActions } from './workspace-actions.tsx';

export function WorkspacePage() {
  const texts = allTexts;
  const { workspace } = useWorkspace();
  return (
    <Page title={workspace.name} about={texts.about} actions={<WorkspaceActions />}>
      <Section title={texts.projects} actions={<CreateProject />}>
        <Projects />
      </Section>
      <Section title={texts.secondFactor.title}>
        <SecondFactorDemand />
      </Section>
      <Section title={texts.sso.title}>
        <SingleSignOn />
      </Section>
    </Page>
  );
}
