/** The facts that a release adds to the description. */
export interface Release {
  readonly version: string;
  /** A web address. */
  readonly homepage: string;
  readonly released: Date;
}

/**
 * Returns the description of the app for software centres: AppStream metainfo of a desktop application
 * (https://www.freedesktop.org/software/appstream/docs/, chapter 2.2).
 */
export function describeForSoftwareCentres({ version, homepage, released }: Release): string {
  const day = released.toISOString().slice(0, 10);
  return `<?xml version="1.0" encoding="UTF-8"?>
<component type="desktop-application">
  <id>dev.gatehouse.app</id>
  <name>Gatehouse</name>
  <summary>Local gateway for one account at a remote model service</summary>
  <metadata_license>CC0-1.0</metadata_license>
  <project_license>MIT</project_license>
  <developer id="dev.gatehouse">
    <name>Gatehouse contributors</name>
  </developer>
  <description>
    <p>
      Editors, agents and scripts talk to one local address, each with a local key of its own. Gatehouse adds the service key, repairs
      addresses and headers that clients get wrong, streams the answer through without delay, and records who asked for what and what it
      cost in tokens. The service key stays in the keychain of the system.
    </p>
    <ul>
      <li>A chat for trying models, several of them side by side</li>
      <li>A queue of videos that survives restarts and never orders one twice</li>
      <li>A history of every exchange with its times and tokens</li>
      <li>A built-in sandbox to try everything without an account</li>
    </ul>
  </description>
  <launchable type="desktop-id">dev.gatehouse.app.desktop</launchable>
  <icon type="stock">gatehouse-desktop</icon>
  <categories>
    <category>Development</category>
  </categories>
  <provides>
    <binary>gatehouse</binary>
    <binary>gatehouse-desktop</binary>
  </provides>
  <url type="homepage">${escapeXml(homepage)}</url>
  <content_rating type="oars-1.1" />
  <releases>
    <release version="${escapeXml(version)}" date="${day}" />
  </releases>
</component>
`;
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
