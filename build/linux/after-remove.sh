#!/bin/sh
# Runs after the package is removed, as root, and also in the middle of an upgrade: dpkg says which, rpm how many versions stay.
case ${1-} in
remove | purge | 0) ;;
*) exit 0 ;;
esac

profile=/etc/apparmor.d/${executable}
if [ -f "$profile" ]; then
  # Unloaded first: the kernel would hold on to it until the next start of the system.
  if apparmor_status --enabled >/dev/null 2>&1 && ! { [ -x /usr/bin/ischroot ] && /usr/bin/ischroot; }; then
    apparmor_parser --remove "$profile" || true
  fi
  rm -f "$profile"
fi

if command -v update-desktop-database >/dev/null 2>&1; then
  update-desktop-database /usr/share/applications || true
fi
exit 0
