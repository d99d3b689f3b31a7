//! Words of Gentoo that a profile may use: eclasses, categories, build systems of Python. No list need be whole.
//!
//! A repository may have eclasses and categories of its own, so a word that none of them is like is taken.

/// Eclasses that packages of this kind may inherit.
pub(crate) const ECLASSES: &str = "\
acct-group acct-user ada app-alternatives autotools bash-completion-r1 bazel cargo cdrom check-reqs chromium-2 cmake cmake-multilib \
cron cuda cvs db-use desktop dist-kernel-utils distutils-r1 dkms docs dot-a dotnet-pkg dotnet-pkg-base dune eapi8-dosym \
eapi9-pipestatus eapi9-ver ecm edo edos2unix elisp elisp-common estack fcaps ffmpeg-compat findlib flag-o-matic font fortran-2 git-r3 \
ghc-package gnome.org gnome2 gnome2-utils gnuconfig go-env go-module gstreamer-meson guile guile-single guile-utils haskell-cabal \
java-ant-2 java-pkg-2 java-pkg-opt-2 java-pkg-simple java-utils-2 kernel-build kernel-install kernel-2 latex-package \
libretro-core libtool linux-info linux-mod-r1 llvm-r1 llvm-r2 llvm-utils llvm.org lua lua-single lua-utils mercurial meson \
meson-multilib mono-env multibuild multilib multilib-build multilib-minimal multiprocessing ninja-utils ocaml \
office-ext-r1 opam optfeature out-of-source-utils pam pax-utils perl-functions perl-module php-ext-source-r3 php-pear-r2 plocale \
portability postgres postgres-multi prefix python-any-r1 python-r1 python-single-r1 python-utils-r1 pypi qmake-utils qt6-build \
readme.gentoo-r1 rocm rpm ruby-fakegem ruby-ng rust rust-toolchain savedconfig scons-utils sec-keys selinux-policy-2 sgml-catalog-r1 \
shell-completion ssl-cert subversion sysroot systemd tests-wrapper texlive-common tmpfiles toolchain toolchain-funcs \
tree-sitter-grammar udev unpacker user-info vala vcs-clean vcs-snapshot verify-sig vim-doc vim-plugin virtualx waf-utils wine wrapper \
wxwidgets xdg xdg-utils xorg-3 zig zig-utils";

/// `profiles/categories`.
pub(crate) const CATEGORIES: &str = "\
acct-group acct-user app-accessibility app-admin app-alternatives app-antivirus app-arch app-backup app-benchmarks app-cdr \
app-containers app-crypt app-dicts app-doc app-editors app-emacs app-emulation app-eselect app-forensics app-i18n app-laptop \
app-metrics app-misc app-mobilephone app-office app-officeext app-pda app-portage app-shells app-text app-vim dev-ada dev-build \
dev-cpp dev-db dev-debug dev-dotnet dev-embedded dev-erlang dev-games dev-gap dev-go dev-haskell dev-java dev-lang dev-libs \
dev-lisp dev-lua dev-ml dev-perl dev-php dev-python dev-qt dev-ros dev-ruby dev-scheme dev-tcltk dev-tex dev-texlive dev-util \
dev-vcs games-action games-arcade games-board games-emulation games-engines games-fps games-kids games-misc games-mud games-puzzle \
games-roguelike games-rpg games-server games-simulation games-sports games-strategy games-util gnome-base gnome-extra gnustep-apps \
gnustep-base gnustep-libs gui-apps gui-libs gui-wm java-virtuals kde-apps kde-frameworks kde-misc kde-plasma lxde-base lxqt-base \
mail-client mail-filter mail-mta mate-base mate-extra media-fonts media-gfx media-libs media-plugins media-radio media-sound \
media-tv media-video net-analyzer net-dialup net-dns net-firewall net-fs net-ftp net-im net-irc net-libs net-mail net-misc net-nds \
net-news net-nntp net-p2p net-print net-proxy net-voip net-vpn net-wireless perl-core phosh-base ros-meta sci-astronomy \
sci-biology sci-calculators sci-chemistry sci-electronics sci-geosciences sci-libs sci-mathematics sci-ml sci-misc sci-physics \
sci-visualization sec-keys sec-policy sys-apps sys-auth sys-block sys-boot sys-cluster sys-devel sys-fabric sys-firmware sys-fs \
sys-kernel sys-libs sys-power sys-process virtual www-apache www-apps www-client www-misc www-nginx www-plugins www-servers x11-apps \
x11-base x11-drivers x11-libs x11-misc x11-plugins x11-terms x11-themes x11-wm xfce-base xfce-extra";

/// What `DISTUTILS_USE_PEP517` may be (distutils-r1.eclass).
pub(crate) const BUILD_SYSTEMS: &str = "\
flit flit-core flit_scm hatchling jupyter maturin meson-python no pbr pdm pdm-backend poetry poetry-core scikit-build-core setuptools \
sip standalone uv-build";
