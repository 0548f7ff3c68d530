/** More members of a workspace, or of a project, than any team has. */
export const mostMembers = 1_000;
