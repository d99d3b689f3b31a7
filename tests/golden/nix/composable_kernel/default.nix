{
  lib,
  composable_kernel_base,
  clr,
}:

let
  inherit (composable_kernel_base) miOpenReqLibsOnly;
  parts = {
    # Three hours on 64 cores, most of the whole build
    mha = {
      enabled = !miOpenReqLibsOnly;
      makeTargets = [ "device_mha_instance" ];
      cmakeFlags = [ (lib.cmakeFeature "HIP_CLANG_NUM_PARALLEL_JOBS" "2") ];
    };
    gemm_multiply_multiply = {
      enabled = !miOpenReqLibsOnly;
      onlyFor = [
        "gfx942"
        "gfx950"
      ];
      makeTargets = [ "device_gemm_multiply_multiply_instance" ];
      cmakeFlags = [ (lib.cmakeFeature "HIP_CLANG_NUM_PARALLEL_JOBS" "2") ];
    };
    gemm_multiply_multiply_wp = {
      enabled = !miOpenReqLibsOnly;
      onlyFor = [
        "gfx942"
        "gfx950"
      ];
      makeTargets = [ "device_gemm_multiply_multiply_wp_instance" ];
      cmakeFlags = [ (lib.cmakeFeature "HIP_CLANG_NUM_PARALLEL_JOBS" "2") ];
    };
    grouped_conv_bwd = {
      makeTargets = [
        "device_grouped_conv1d_bwd_weight_instance"
        "device_grouped_conv2d_bwd_data_instance"
        "device_grouped_conv2d_bwd_weight_instance"
      ];
    };
    grouped_conv_fwd = {
      makeTargets = [
        "device_grouped_conv1d_fwd_instance"
        "device_grouped_conv2d_fwd_instance"
        "device_grouped_conv2d_fwd_bias_bnorm_clamp_instance"
        "device_grouped_conv2d_fwd_bias_clamp_instance"
        "device_grouped_conv2d_fwd_clamp_instance"
        "device_grouped_conv2d_fwd_dynamic_op_instance"
      ];
    };
    grouped_conv_bwd_3d1 = {
      makeTargets = [
        "device_grouped_conv3d_bwd_data_instance"
        "device_grouped_conv3d_bwd_data_bilinear_instance"
        "device_grouped_conv3d_bwd_data_scale_instance"
      ];
    };
    grouped_conv_bwd_3d2 = {
      makeTargets = [
        "device_grouped_conv3d_bwd_weight_instance"
        "device_grouped_conv3d_bwd_weight_bilinear_instance"
        "device_grouped_conv3d_bwd_weight_scale_instance"
      ];
    };
    grouped_conv_fwd_3d1 = {
      makeTargets = [
        "device_grouped_conv3d_fwd_instance"
        "device_grouped_conv3d_fwd_clamp_instance"
        "device_grouped_conv3d_fwd_bias_bnorm_clamp_instance"
        "device_grouped_conv3d_fwd_bias_clamp_instance"
        "device_grouped_conv3d_fwd_bilinear_instance"
        "device_grouped_conv3d_fwd_convinvscale_instance"
        "device_grouped_conv3d_fwd_convscale_instance"
        "device_grouped_conv3d_fwd_convscale_add_instance"
      ];
    };
    grouped_conv_fwd_3d2 = {
      makeTargets = [
        "device_grouped_conv3d_fwd_convscale_relu_instance"
        "device_grouped_conv3d_fwd_dynamic_op_instance"
        "device_grouped_conv3d_fwd_scale_instance"
        "device_grouped_conv3d_fwd_scaleadd_ab_instance"
        "device_grouped_conv3d_fwd_scaleadd_scaleadd_relu_instance"
      ];
    };
    grouped_conv_fwd_nd = {
      makeTargets = [ "device_grouped_convnd_bwd_weight_instance" ];
    };
    batched_gemm1 = {
      enabled = !miOpenReqLibsOnly;
      makeTargets = [
        "device_batched_gemm_instance"
        "device_batched_gemm_b_scale_instance"
        "device_batched_gemm_multi_d_instance"
        "device_batched_gemm_add_relu_gemm_add_instance"
        "device_batched_gemm_bias_permute_instance"
        "device_batched_gemm_gemm_instance"
        "device_batched_gemm_reduce_instance"
        "device_batched_gemm_softmax_gemm_instance"
      ];
    };
    batched_gemm2 = {
      enabled = !miOpenReqLibsOnly;
      makeTargets = [
        "device_batched_gemm_softmax_gemm_permute_instance"
        "device_grouped_gemm_instance"
        "device_grouped_gemm_bias_instance"
        "device_grouped_gemm_fastgelu_instance"
        "device_grouped_gemm_fixed_nk_instance"
        "device_grouped_gemm_fixed_nk_multi_abd_instance"
        "device_grouped_gemm_tile_loop_instance"
      ];
    };
    gemm_universal1 = {
      enabled = !miOpenReqLibsOnly;
      makeTargets = [
        "device_gemm_universal_instance"
        "device_gemm_universal_batched_instance"
      ];
    };
    gemm_universal2 = {
      enabled = !miOpenReqLibsOnly;
      makeTargets = [
        "device_gemm_universal_reduce_instance"
        "device_gemm_universal_streamk_instance"
      ];
    };
    gemm_other1 = {
      enabled = !miOpenReqLibsOnly;
      makeTargets = [
        "device_gemm_instance"
        "device_gemm_b_scale_instance"
        "device_gemm_ab_scale_instance"
        "device_gemm_add_instance"
        "device_gemm_add_add_fastgelu_instance"
        "device_gemm_add_fastgelu_instance"
        "device_gemm_add_multiply_instance"
        "device_gemm_add_relu_instance"
      ];
    };
    gemm_other2 = {
      enabled = !miOpenReqLibsOnly;
      makeTargets = [
        "device_gemm_add_relu_add_layernorm_instance"
        "device_gemm_add_silu_instance"
        "device_gemm_bias_add_reduce_instance"
        "device_gemm_bilinear_instance"
        "device_gemm_fastgelu_instance"
        "device_gemm_multi_abd_instance"
        "device_gemm_multiply_add_instance"
        "device_gemm_reduce_instance"
        "device_gemm_splitk_instance"
        "device_gemm_streamk_instance"
      ];
    };
    conv = {
      makeTargets = [
        "device_conv1d_bwd_data_instance"
        "device_conv2d_bwd_data_instance"
        "device_conv2d_fwd_instance"
        "device_conv2d_fwd_bias_relu_instance"
        "device_conv2d_fwd_bias_relu_add_instance"
        "device_conv3d_bwd_data_instance"
      ];
    };
    pool = {
      enabled = !miOpenReqLibsOnly;
      makeTargets = [
        "device_avg_pool2d_bwd_instance"
        "device_avg_pool3d_bwd_instance"
        "device_pool2d_fwd_instance"
        "device_pool3d_fwd_instance"
        "device_max_pool_bwd_instance"
      ];
    };
    other0 = {
      makeTargets = [ "device_quantization_instance" ];
    };
    other1 = {
      enabled = !miOpenReqLibsOnly;
      makeTargets = [
        "device_batchnorm_instance"
        "device_contraction_bilinear_instance"
        "device_contraction_scale_instance"
        "device_elementwise_instance"
        "device_elementwise_normalization_instance"
      ];
    };
    other2 = {
      enabled = !miOpenReqLibsOnly;
      makeTargets = [
        "device_column_to_image_instance"
        "device_image_to_column_instance"
        "device_permute_scale_instance"
        "device_reduce_instance"
      ];
    };
    other3 = {
      enabled = !miOpenReqLibsOnly;
      makeTargets = [
        "device_normalization_bwd_data_instance"
        "device_normalization_bwd_gamma_beta_instance"
        "device_normalization_fwd_instance"
        "device_softmax_instance"
        "device_transpose_instance"
      ];
    };
  };

  buildPart =
    name: part:
    composable_kernel_base.overrideAttrs (old: {
      pname = "composable_kernel${clr.gpuArchSuffix}-${name}";
      requiredSystemFeatures = [ "big-parallel" ];

      makeTargets = part.makeTargets;
      cmakeFlags = old.cmakeFlags ++ part.cmakeFlags or [ ];

      # A job may need 3 GB, and nothing else tells Nix so: fewer jobs run when memory is short
      preConfigure = old.preConfigure or "" + ''
        freeGigabytes=$(awk '/^MemAvailable:/ { print int($2 / 1048576) }' /proc/meminfo)
        jobLimit=$((1 + freeGigabytes / 3))
        jobFloor=$((NIX_BUILD_CORES / 3))
        if ((jobLimit < jobFloor)); then jobLimit=$jobFloor; fi
        if ((NIX_BUILD_CORES > jobLimit)); then export NIX_BUILD_CORES=$jobLimit; fi
        cmakeFlagsArray+=("-DCK_PARALLEL_COMPILE_JOBS=$NIX_BUILD_CORES")
      '';

      preBuild = ''
        makeFlagsArray+=($makeTargets)
        find . -name Makefile -exec sed -i 's/^\.NOTPARALLEL:/.PARALLEL_AFTER_ALL:/' {} +
      '';

      # Only objects are wanted, so the build ends here
      postBuild = ''
        mkdir -p "$out"
        find . -name '*.o' -type f -exec cp --parents --reflink=auto -t "$out" {} +
        exit 0
      '';

      meta = old.meta // {
        broken = false;
      };
    });

  allParts = lib.mapAttrs (
    name: part:
    if
      part.enabled or true
      && lib.any (
        target: lib.elem target (part.onlyFor or composable_kernel_base.gpuTargets)
      ) composable_kernel_base.gpuTargets
    then
      buildPart name part
    else
      null
  ) parts;
  builtParts = lib.filter (part: part != null) (lib.attrValues allParts);
in
composable_kernel_base.overrideAttrs (
  finalAttrs: old: {
    pname = "composable_kernel${clr.gpuArchSuffix}";

    partsToCopy = builtParts;
    disallowedReferences = builtParts;

    # Objects seem newer than their sources, so that make keeps them
    preBuild = ''
      for part in $partsToCopy; do
        find "$part" -name '*.o' -type f | while read -r object; do
          rel_path="''${object#"$part"/}"
          mkdir -p "$(dirname "$rel_path")"
          cp --reflink=auto --no-preserve=all "$object" "$rel_path"
          touch -d 'now +10 hours' "$rel_path"
        done
      done
    '';

    passthru = old.passthru // {
      parts = allParts;
    };

    meta = old.meta // {
      broken = !finalAttrs.passthru.anyGfx9Target;
    };
  }
)
