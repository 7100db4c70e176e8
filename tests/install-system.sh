#!/bin/sh
# Installs the Debian packages that the tests need, where it may: Chromium, PostgreSQL, Redis, nginx and a font.
# Quick when all is there; where it may not install, it says so and the tests that need them are skipped.
packages="chromium postgresql redis-server nginx-light fonts-inter"

installed() {
    [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

loud() {
    echo "*** $* ***" >&2
}

if ! command -v dpkg-query >/dev/null 2>&1; then
    loud "THIS IS NOT DEBIAN: install Chromium, PostgreSQL, Redis and nginx by hand, or their tests are skipped"
    exit 0
fi
missing=
for package in $packages; do
    installed "$package" || missing="$missing $package"
done
[ -z "$missing" ] && exit 0

if [ "$(id -u)" = 0 ]; then
    root=
elif command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then
    root="sudo -n"
else
    loud "MISSING, AND MAY NOT BE INSTALLED HERE:$missing. Their tests are skipped. As root: apt-get install$missing"
    exit 0
fi
echo "installing$missing"
export DEBIAN_FRONTEND=noninteractive
# shellcheck disable=SC2086
if ! { $root apt-get update -qq && $root apt-get install -y -qq --no-install-recommends $missing; } >&2; then
    loud "COULD NOT BE INSTALLED:$missing. Their tests are skipped."
fi
exit 0
