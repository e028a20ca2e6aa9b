#!/bin/sh
# Runs after the package is installed or upgraded, as root. electron-builder puts the names of the app into its places.
app='/opt/${sanitizedProductName}'

# Chromium's helper needs root where programs may not make namespaces of their own, and nowhere else.
if [ "$(cat /proc/sys/kernel/unprivileged_userns_clone 2>/dev/null)" != 0 ] && unshare --user true 2>/dev/null; then
  chmod 0755 "$app/chrome-sandbox" || true
else
  chmod 4755 "$app/chrome-sandbox" || true
fi

# Ubuntu 23.10 and later let a program make namespaces only when a profile says so. Older AppArmor does not read this profile, nor need it.
if apparmor_status --enabled >/dev/null 2>&1; then
  profile=/etc/apparmor.d/${executable}
  if apparmor_parser --skip-kernel-load --debug "$app/resources/apparmor-profile" >/dev/null 2>&1; then
    cp -f "$app/resources/apparmor-profile" "$profile"
    # In a chroot the profile is loaded when the system starts.
    if ! { [ -x /usr/bin/ischroot ] && /usr/bin/ischroot; }; then
      apparmor_parser --replace --write-cache --skip-read-cache "$profile" || true
    fi
  fi
fi

if command -v update-desktop-database >/dev/null 2>&1; then
  update-desktop-database /usr/share/applications || true
fi
exit 0
