/* SPDX-License-Identifier: MIT */
/* Events of the kernel by system and name, as tracefs lists them on kernels 3.4 to 6.18. A name in this list reveals
 * nothing about the person who recorded it. Probes that users define and events of out-of-tree modules are not in the
 * list. */
#include "config.h"
#include <string.h>
#include "rewrite/public_names.h"

static const struct system {
	const char *name, *events;     /* `events` is separated by spaces */
} systems[] = {
	{ "alarmtimer",
	  "alarmtimer_cancel alarmtimer_fired alarmtimer_start alarmtimer_suspend" },
	{ "amd_cpu",
	  "amd_pstate_epp_perf amd_pstate_perf" },
	{ "avc",
	  "selinux_audited" },
	{ "binder",
	  "binder_alloc_lru_end binder_alloc_lru_start binder_alloc_page_end binder_alloc_page_start binder_command "
	  "binder_free_lru_end binder_free_lru_start binder_ioctl binder_ioctl_done binder_lock binder_locked "
	  "binder_read_done binder_return binder_set_priority binder_transaction binder_transaction_alloc_buf "
	  "binder_transaction_buffer_release binder_transaction_failed_buffer_release binder_transaction_fd "
	  "binder_transaction_fd_recv binder_transaction_fd_send binder_transaction_node_to_ref "
	  "binder_transaction_received binder_transaction_ref_to_node binder_transaction_ref_to_ref binder_unlock "
	  "binder_unmap_kernel_end binder_unmap_kernel_start binder_unmap_user_end binder_unmap_user_start "
	  "binder_update_page_range binder_wait_for_work binder_write_done" },
	{ "block",
	  "blk_zone_append_update_request_bio blk_zone_wplug_bio blkdev_zone_mgmt block_bio_backmerge "
	  "block_bio_bounce block_bio_complete block_bio_frontmerge block_bio_queue block_bio_remap "
	  "block_dirty_buffer block_getrq block_io_done block_io_start block_plug block_rq_abort block_rq_complete "
	  "block_rq_error block_rq_insert block_rq_issue block_rq_merge block_rq_remap block_rq_requeue "
	  "block_sleeprq block_split block_touch_buffer block_unplug disk_zone_wplug_add_bio" },
	{ "bpf_test_run",
	  "bpf_test_finish bpf_trigger_tp" },
	{ "bpf_trace",
	  "bpf_trace_printk" },
	{ "bridge",
	  "br_fdb_add br_fdb_external_learn_add br_fdb_update br_mdb_full fdb_delete" },
	{ "btrfs",
	  "add_delayed_data_ref add_delayed_ref_head add_delayed_tree_ref btrfs_add_block_group "
	  "btrfs_add_reclaim_block_group btrfs_add_unused_block_group btrfs_all_work_done btrfs_alloc_extent_state "
	  "btrfs_chunk_alloc btrfs_chunk_free btrfs_clear_extent_bit btrfs_convert_extent_bit btrfs_cow_block "
	  "btrfs_done_preemptive_reclaim btrfs_extent_map_shrinker_count btrfs_extent_map_shrinker_remove_em "
	  "btrfs_extent_map_shrinker_scan_enter btrfs_extent_map_shrinker_scan_exit btrfs_fail_all_tickets "
	  "btrfs_failed_cluster_setup btrfs_find_cluster btrfs_find_free_extent "
	  "btrfs_find_free_extent_have_block_group btrfs_find_free_extent_search_loop btrfs_finish_ordered_extent "
	  "btrfs_flush_space btrfs_free_extent_state btrfs_get_extent btrfs_get_extent_show_fi_inline "
	  "btrfs_get_extent_show_fi_regular btrfs_get_raid_extent_offset btrfs_handle_em_exist btrfs_inode_evict "
	  "btrfs_inode_mod_outstanding_extents btrfs_inode_new btrfs_inode_request btrfs_insert_one_raid_extent "
	  "btrfs_ordered_extent_add btrfs_ordered_extent_dec_test_pending btrfs_ordered_extent_lookup "
	  "btrfs_ordered_extent_lookup_first btrfs_ordered_extent_lookup_first_range "
	  "btrfs_ordered_extent_lookup_for_logging btrfs_ordered_extent_lookup_range "
	  "btrfs_ordered_extent_mark_finished btrfs_ordered_extent_put btrfs_ordered_extent_remove "
	  "btrfs_ordered_extent_split btrfs_ordered_extent_start btrfs_ordered_sched btrfs_prelim_ref_insert "
	  "btrfs_prelim_ref_merge btrfs_qgroup_account_extent btrfs_qgroup_account_extents "
	  "btrfs_qgroup_meta_convert btrfs_qgroup_meta_free_all_pertrans btrfs_qgroup_meta_reserve "
	  "btrfs_qgroup_num_dirty_extents btrfs_qgroup_release_data btrfs_qgroup_reserve_data "
	  "btrfs_qgroup_trace_extent btrfs_qgroup_update_counters btrfs_qgroup_update_reserve "
	  "btrfs_raid_extent_delete btrfs_reclaim_block_group btrfs_remove_block_group btrfs_reserve_extent "
	  "btrfs_reserve_extent_cluster btrfs_reserve_ticket btrfs_reserved_extent_alloc btrfs_reserved_extent_free "
	  "btrfs_set_extent_bit btrfs_setup_cluster btrfs_skip_unused_block_group btrfs_space_reservation "
	  "btrfs_sync_file btrfs_sync_fs btrfs_transaction_commit btrfs_tree_lock btrfs_tree_read_lock "
	  "btrfs_tree_read_unlock btrfs_tree_unlock btrfs_trigger_flush btrfs_truncate_show_fi_inline "
	  "btrfs_truncate_show_fi_regular btrfs_try_tree_read_lock btrfs_work_queued btrfs_work_sched "
	  "btrfs_workqueue_alloc btrfs_workqueue_destroy btrfs_writepage_end_io_hook extent_writepage raid56_read "
	  "raid56_write run_delayed_data_ref run_delayed_ref_head run_delayed_tree_ref update_bytes_may_use "
	  "update_bytes_pinned update_bytes_zone_unusable" },
	{ "capability",
	  "cap_capable" },
	{ "cgroup",
	  "cgroup_attach_task cgroup_destroy_root cgroup_freeze cgroup_mkdir cgroup_notify_frozen "
	  "cgroup_notify_populated cgroup_release cgroup_remount cgroup_rename cgroup_rmdir "
	  "cgroup_rstat_lock_contended cgroup_rstat_locked cgroup_rstat_unlock cgroup_setup_root "
	  "cgroup_transfer_tasks cgroup_unfreeze" },
	{ "clk",
	  "clk_disable clk_disable_complete clk_enable clk_enable_complete clk_prepare clk_prepare_complete "
	  "clk_rate_request_done clk_rate_request_start clk_set_duty_cycle clk_set_duty_cycle_complete "
	  "clk_set_max_rate clk_set_min_rate clk_set_parent clk_set_parent_complete clk_set_phase "
	  "clk_set_phase_complete clk_set_rate clk_set_rate_complete clk_set_rate_range clk_unprepare "
	  "clk_unprepare_complete" },
	{ "cma",
	  "cma_alloc cma_alloc_busy_retry cma_alloc_finish cma_alloc_info cma_alloc_start cma_release" },
	{ "compaction",
	  "mm_compaction_begin mm_compaction_defer_compaction mm_compaction_defer_reset mm_compaction_deferred "
	  "mm_compaction_end mm_compaction_fast_isolate_freepages mm_compaction_finished "
	  "mm_compaction_isolate_freepages mm_compaction_isolate_migratepages mm_compaction_kcompactd_sleep "
	  "mm_compaction_kcompactd_wake mm_compaction_migratepages mm_compaction_suitable "
	  "mm_compaction_try_to_compact_pages mm_compaction_wakeup_kcompactd" },
	{ "cpuhp",
	  "cpuhp_enter cpuhp_exit cpuhp_multi_enter cpuhp_pause" },
	{ "csd",
	  "csd_function_entry csd_function_exit csd_queue_cpu" },
	{ "damon",
	  "damon_aggregated damon_monitor_intervals_tune damos_before_apply damos_esz" },
	{ "dev",
	  "devres_log" },
	{ "devfreq",
	  "devfreq_monitor dvfs_read_ppc dvfs_update_load" },
	{ "dma",
	  "dma_alloc dma_alloc_pages dma_alloc_sgt dma_alloc_sgt_err dma_free dma_free_pages dma_free_sgt "
	  "dma_map_phys dma_map_sg dma_map_sg_err dma_sync_sg_for_cpu dma_sync_sg_for_device "
	  "dma_sync_single_for_cpu dma_sync_single_for_device dma_unmap_phys dma_unmap_sg" },
	{ "dma_fence",
	  "dma_fence_destroy dma_fence_emit dma_fence_enable_signal dma_fence_init dma_fence_signaled "
	  "dma_fence_wait_end dma_fence_wait_start" },
	{ "drm",
	  "drm_vblank_event drm_vblank_event_delivered drm_vblank_event_queued" },
	{ "erofs",
	  "erofs_destroy_inode erofs_fill_inode erofs_lookup erofs_map_blocks_enter erofs_map_blocks_exit "
	  "erofs_map_blocks_flatmode_enter erofs_map_blocks_flatmode_exit erofs_read_folio erofs_readahead "
	  "erofs_readpage erofs_readpages z_erofs_map_blocks_iter_enter z_erofs_map_blocks_iter_exit" },
	{ "error_report",
	  "error_report_end" },
	{ "exceptions",
	  "page_fault_kernel page_fault_user" },
	{ "ext4",
	  "ext4_alloc_da_blocks ext4_allocate_blocks ext4_allocate_inode ext4_begin_ordered_truncate "
	  "ext4_collapse_range ext4_da_release_space ext4_da_reserve_space ext4_da_update_reserve_space "
	  "ext4_da_write_begin ext4_da_write_end ext4_da_write_folios_end ext4_da_write_folios_start "
	  "ext4_da_write_pages ext4_da_write_pages_extent ext4_da_writepages ext4_da_writepages_result "
	  "ext4_direct_IO_enter ext4_direct_IO_exit ext4_discard_blocks ext4_discard_preallocations ext4_drop_inode "
	  "ext4_error ext4_es_cache_extent ext4_es_find_delayed_extent_range_enter "
	  "ext4_es_find_delayed_extent_range_exit ext4_es_find_extent_range_enter ext4_es_find_extent_range_exit "
	  "ext4_es_insert_delayed_block ext4_es_insert_delayed_extent ext4_es_insert_extent "
	  "ext4_es_lookup_extent_enter ext4_es_lookup_extent_exit ext4_es_remove_extent ext4_es_shrink "
	  "ext4_es_shrink_count ext4_es_shrink_scan_enter ext4_es_shrink_scan_exit ext4_evict_inode "
	  "ext4_ext_convert_to_initialized_enter ext4_ext_convert_to_initialized_fastpath "
	  "ext4_ext_handle_uninitialized_extents ext4_ext_handle_unwritten_extents ext4_ext_in_cache "
	  "ext4_ext_load_extent ext4_ext_map_blocks_enter ext4_ext_map_blocks_exit ext4_ext_put_in_cache "
	  "ext4_ext_remove_space ext4_ext_remove_space_done ext4_ext_rm_idx ext4_ext_rm_leaf ext4_ext_show_extent "
	  "ext4_fallocate_enter ext4_fallocate_exit ext4_fc_cleanup ext4_fc_commit_start ext4_fc_commit_stop "
	  "ext4_fc_replay ext4_fc_replay_scan ext4_fc_stats ext4_fc_track_create ext4_fc_track_inode "
	  "ext4_fc_track_link ext4_fc_track_range ext4_fc_track_unlink ext4_find_delalloc_range ext4_forget "
	  "ext4_free_blocks ext4_free_inode ext4_fsmap_high_key ext4_fsmap_low_key ext4_fsmap_mapping "
	  "ext4_get_implied_cluster_alloc_exit ext4_get_reserved_cluster_alloc ext4_getfsmap_high_key "
	  "ext4_getfsmap_low_key ext4_getfsmap_mapping ext4_ind_map_blocks_enter ext4_ind_map_blocks_exit "
	  "ext4_insert_range ext4_invalidate_folio ext4_invalidatepage ext4_journal_start ext4_journal_start_inode "
	  "ext4_journal_start_reserved ext4_journal_start_sb ext4_journalled_invalidate_folio "
	  "ext4_journalled_invalidatepage ext4_journalled_write_end ext4_lazy_itable_init ext4_load_inode "
	  "ext4_load_inode_bitmap ext4_mark_inode_dirty ext4_mb_bitmap_load ext4_mb_buddy_bitmap_load "
	  "ext4_mb_discard_preallocations ext4_mb_new_group_pa ext4_mb_new_inode_pa ext4_mb_release_group_pa "
	  "ext4_mb_release_inode_pa ext4_mballoc_alloc ext4_mballoc_discard ext4_mballoc_free ext4_mballoc_prealloc "
	  "ext4_nfs_commit_metadata ext4_ordered_write_end ext4_other_inode_update_time ext4_prefetch_bitmaps "
	  "ext4_punch_hole ext4_read_block_bitmap_load ext4_read_folio ext4_readpage ext4_release_folio "
	  "ext4_releasepage ext4_remove_blocks ext4_request_blocks ext4_request_inode ext4_shutdown "
	  "ext4_sync_file_enter ext4_sync_file_exit ext4_sync_fs ext4_trim_all_free ext4_trim_extent "
	  "ext4_truncate_enter ext4_truncate_exit ext4_unlink_enter ext4_unlink_exit ext4_update_sb "
	  "ext4_write_begin ext4_write_end ext4_writeback_write_end ext4_writepage ext4_writepages "
	  "ext4_writepages_result ext4_zero_range" },
	{ "f2fs",
	  "f2fs_background_gc f2fs_bmap f2fs_commit_inmem_page f2fs_compress_pages_end f2fs_compress_pages_start "
	  "f2fs_decompress_pages_end f2fs_decompress_pages_start f2fs_destroy_extent_tree f2fs_direct_IO_enter "
	  "f2fs_direct_IO_exit f2fs_do_write_data_page f2fs_drop_inode f2fs_evict_inode f2fs_fallocate f2fs_fiemap "
	  "f2fs_file_write_iter f2fs_filemap_fault f2fs_gc_begin f2fs_gc_end f2fs_get_victim f2fs_iget "
	  "f2fs_iget_exit f2fs_iostat f2fs_issue_discard f2fs_issue_flush f2fs_issue_reset_zone f2fs_lookup_end "
	  "f2fs_lookup_extent_tree_end f2fs_lookup_extent_tree_start f2fs_lookup_start f2fs_map_blocks "
	  "f2fs_new_inode f2fs_prepare_read_bio f2fs_prepare_write_bio f2fs_queue_discard f2fs_readdir "
	  "f2fs_readpage f2fs_readpages f2fs_register_inmem_page f2fs_remove_discard f2fs_reserve_new_blocks "
	  "f2fs_set_page_dirty f2fs_shrink_extent_tree f2fs_shutdown f2fs_submit_page_bio f2fs_submit_page_write "
	  "f2fs_submit_read_bio f2fs_submit_write_bio f2fs_sync_dirty_inodes_enter f2fs_sync_dirty_inodes_exit "
	  "f2fs_sync_file_enter f2fs_sync_file_exit f2fs_sync_fs f2fs_truncate f2fs_truncate_blocks_enter "
	  "f2fs_truncate_blocks_exit f2fs_truncate_data_blocks_range f2fs_truncate_inode_blocks_enter "
	  "f2fs_truncate_inode_blocks_exit f2fs_truncate_node f2fs_truncate_nodes_enter f2fs_truncate_nodes_exit "
	  "f2fs_truncate_partial_nodes f2fs_unlink_enter f2fs_unlink_exit f2fs_update_extent_tree_range "
	  "f2fs_vm_page_mkwrite f2fs_write_begin f2fs_write_checkpoint f2fs_write_end f2fs_writepage "
	  "f2fs_writepages" },
	{ "fence",
	  "fence_annotate_wait_on fence_destroy fence_emit fence_enable_signal fence_init fence_signaled "
	  "fence_wait_end fence_wait_start" },
	{ "fib",
	  "fib_table_lookup fib_table_lookup_nh fib_validate_source" },
	{ "fib6",
	  "fib6_table_lookup" },
	{ "filelock",
	  "break_lease_block break_lease_noblock break_lease_unblock fcntl_setlk flock_lock_inode generic_add_lease "
	  "generic_delete_lease leases_conflict locks_get_lock_context locks_remove_posix posix_lock_inode "
	  "time_out_leases" },
	{ "filemap",
	  "file_check_and_advance_wb_err filemap_set_wb_err mm_filemap_add_to_page_cache "
	  "mm_filemap_delete_from_page_cache mm_filemap_fault mm_filemap_get_pages mm_filemap_map_pages" },
	{ "fs_dax",
	  "dax_insert_pfn_mkwrite dax_insert_pfn_mkwrite_no_entry dax_load_hole dax_pmd_fault dax_pmd_fault_done "
	  "dax_pmd_load_hole dax_pmd_load_hole_fallback dax_pte_fault dax_pte_fault_done dax_writeback_one "
	  "dax_writeback_range dax_writeback_range_done" },
	{ "ftrace",
	  "bprint bputs branch context_switch func_repeats funcgraph_entry funcgraph_exit function hwlat "
	  "kernel_stack mmiotrace_map mmiotrace_rw osnoise print raw_data timerlat user_stack wakeup" },
	{ "fuse",
	  "fuse_request_end fuse_request_send" },
	{ "gpio",
	  "gpio_direction gpio_value" },
	{ "huge_memory",
	  "mm_collapse_huge_page mm_collapse_huge_page_isolate mm_collapse_huge_page_swapin "
	  "mm_khugepaged_collapse_file mm_khugepaged_scan_file mm_khugepaged_scan_pmd" },
	{ "hugetlbfs",
	  "hugetlbfs_alloc_inode hugetlbfs_evict_inode hugetlbfs_fallocate hugetlbfs_free_inode hugetlbfs_setattr" },
	{ "i2c",
	  "i2c_read i2c_reply i2c_result i2c_write smbus_read smbus_reply smbus_result smbus_write" },
	{ "icmp",
	  "icmp_send" },
	{ "initcall",
	  "initcall_finish initcall_level initcall_start" },
	{ "interconnect",
	  "icc_set_bw icc_set_bw_end" },
	{ "io_uring",
	  "io_uring_complete io_uring_cqe_overflow io_uring_cqring_wait io_uring_create io_uring_defer "
	  "io_uring_fail_link io_uring_file_get io_uring_link io_uring_local_work_run io_uring_poll_arm "
	  "io_uring_poll_wake io_uring_queue_async_work io_uring_register io_uring_req_failed io_uring_short_write "
	  "io_uring_submit_req io_uring_submit_sqe io_uring_task_add io_uring_task_run io_uring_task_work_run" },
	{ "iocost",
	  "iocost_inuse_adjust iocost_inuse_shortage iocost_inuse_transfer iocost_ioc_vrate_adj "
	  "iocost_iocg_activate iocost_iocg_forgive_debt iocost_iocg_idle" },
	{ "iomap",
	  "iomap_add_to_ioend iomap_apply iomap_apply_dstmap iomap_apply_srcmap iomap_dio_complete "
	  "iomap_dio_invalidate_fail iomap_dio_rw_begin iomap_dio_rw_queued iomap_invalidate_folio "
	  "iomap_invalidatepage iomap_iter iomap_iter_dstmap iomap_iter_srcmap iomap_readahead iomap_readpage "
	  "iomap_release_folio iomap_releasepage iomap_writeback_folio iomap_writepage iomap_zero_iter" },
	{ "iommu",
	  "add_device_to_group attach_device_to_domain detach_device_from_domain io_page_fault map "
	  "remove_device_from_group unmap" },
	{ "ipi",
	  "ipi_entry ipi_exit ipi_raise ipi_send_cpu ipi_send_cpumask" },
	{ "irq",
	  "irq_handler_entry irq_handler_exit softirq_entry softirq_exit softirq_raise tasklet_entry tasklet_exit "
	  "tasklet_hi_entry tasklet_hi_exit" },
	{ "irq_matrix",
	  "irq_matrix_alloc irq_matrix_alloc_managed irq_matrix_assign irq_matrix_assign_system irq_matrix_free "
	  "irq_matrix_offline irq_matrix_online irq_matrix_remove_managed irq_matrix_remove_reserved "
	  "irq_matrix_reserve irq_matrix_reserve_managed" },
	{ "irq_vectors",
	  "call_function_entry call_function_exit call_function_single_entry call_function_single_exit "
	  "error_apic_entry error_apic_exit irq_work_entry irq_work_exit local_timer_entry local_timer_exit "
	  "reschedule_entry reschedule_exit spurious_apic_entry spurious_apic_exit thermal_apic_entry "
	  "thermal_apic_exit vector_activate vector_alloc vector_alloc_managed vector_clear vector_config "
	  "vector_deactivate vector_free_moved vector_reserve vector_reserve_managed vector_setup vector_teardown "
	  "vector_update x86_platform_ipi_entry x86_platform_ipi_exit" },
	{ "jbd",
	  "jbd_checkpoint jbd_cleanup_journal_tail jbd_commit_flushing jbd_commit_locking jbd_commit_logging "
	  "jbd_do_submit_data jbd_drop_transaction jbd_end_commit jbd_start_commit jbd_update_superblock_end" },
	{ "jbd2",
	  "jbd2_checkpoint jbd2_checkpoint_stats jbd2_commit_flushing jbd2_commit_locking jbd2_commit_logging "
	  "jbd2_drop_transaction jbd2_end_commit jbd2_handle_extend jbd2_handle_restart jbd2_handle_start "
	  "jbd2_handle_stats jbd2_lock_buffer_stall jbd2_run_stats jbd2_shrink_checkpoint_list jbd2_shrink_count "
	  "jbd2_shrink_scan_enter jbd2_shrink_scan_exit jbd2_start_commit jbd2_submit_inode_data "
	  "jbd2_update_log_tail jbd2_write_superblock" },
	{ "kmem",
	  "iommu_map_range kfree kmalloc kmalloc_node kmem_cache_alloc kmem_cache_alloc_node kmem_cache_free "
	  "mm_calculate_totalreserve_pages mm_page_alloc mm_page_alloc_extfrag mm_page_alloc_zone_locked "
	  "mm_page_free mm_page_free_batched mm_page_pcpu_drain mm_setup_per_zone_lowmem_reserve "
	  "mm_setup_per_zone_wmarks rss_stat" },
	{ "ksm",
	  "ksm_advisor ksm_enter ksm_exit ksm_merge_one_page ksm_merge_with_ksm_page ksm_remove_ksm_page "
	  "ksm_remove_rmap_item ksm_start_scan ksm_stop_scan" },
	{ "kvm",
	  "kvm_ack_irq kvm_age_hva kvm_apic kvm_apic_accept_irq kvm_apic_ipi kvm_apicv_accept_irq "
	  "kvm_apicv_inhibit_changed kvm_async_pf_completed kvm_async_pf_not_present kvm_async_pf_ready "
	  "kvm_async_pf_repeated_fault kvm_avic_doorbell kvm_avic_ga_log kvm_avic_incomplete_ipi "
	  "kvm_avic_kick_vcpu_slowpath kvm_avic_unaccelerated_access kvm_cpuid kvm_cr kvm_dirty_ring_exit "
	  "kvm_dirty_ring_push kvm_dirty_ring_reset kvm_emulate_insn kvm_entry kvm_eoi kvm_exit kvm_fast_mmio "
	  "kvm_fpu kvm_halt_poll_ns kvm_hv_flush_tlb kvm_hv_flush_tlb_ex kvm_hv_hypercall kvm_hv_hypercall_done "
	  "kvm_hv_notify_acked_sint kvm_hv_send_ipi kvm_hv_send_ipi_ex kvm_hv_stimer_callback kvm_hv_stimer_cleanup "
	  "kvm_hv_stimer_expiration kvm_hv_stimer_set_config kvm_hv_stimer_set_count kvm_hv_stimer_start_one_shot "
	  "kvm_hv_stimer_start_periodic kvm_hv_syndbg_get_msr kvm_hv_syndbg_set_msr kvm_hv_synic_send_eoi "
	  "kvm_hv_synic_set_irq kvm_hv_synic_set_msr kvm_hv_timer_state kvm_hypercall kvm_inj_exception "
	  "kvm_inj_virq kvm_invlpga kvm_ioapic_delayed_eoi_inj kvm_ioapic_set_irq kvm_mmio kvm_msi_set_irq kvm_msr "
	  "kvm_nested_intercepts kvm_nested_intr_vmexit kvm_nested_vmenter kvm_nested_vmenter_failed "
	  "kvm_nested_vmexit kvm_nested_vmexit_inject kvm_page_fault kvm_pi_irte_update kvm_pic_set_irq kvm_pio "
	  "kvm_ple_window_update kvm_pml_full kvm_pv_eoi kvm_pv_tlb_flush kvm_pvclock_update kvm_rmp_fault "
	  "kvm_set_irq kvm_skinit kvm_smm_transition kvm_test_age_hva kvm_track_tsc kvm_try_async_get_page "
	  "kvm_unmap_hva_range kvm_update_master_clock kvm_userspace_exit kvm_vcpu_wakeup kvm_vmgexit_enter "
	  "kvm_vmgexit_exit kvm_vmgexit_msr_protocol_enter kvm_vmgexit_msr_protocol_exit kvm_wait_lapic_expire "
	  "kvm_write_tsc_offset kvm_xen_hypercall vcpu_match_mmio" },
	{ "kvmmmu",
	  "check_mmio_spte fast_page_fault handle_mmio_page_fault kvm_mmu_get_page kvm_mmu_pagetable_walk "
	  "kvm_mmu_paging_element kvm_mmu_prepare_zap_page kvm_mmu_set_accessed_bit kvm_mmu_set_dirty_bit "
	  "kvm_mmu_set_spte kvm_mmu_split_huge_page kvm_mmu_spte_requested kvm_mmu_sync_page kvm_mmu_unsync_page "
	  "kvm_mmu_walker_error kvm_mmu_zap_all_fast kvm_tdp_mmu_spte_changed mark_mmio_spte" },
	{ "kyber",
	  "kyber_adjust kyber_latency kyber_throttled" },
	{ "lock",
	  "contention_begin contention_end lock_acquire lock_acquired lock_contended lock_release" },
	{ "maple_tree",
	  "ma_op ma_read ma_write" },
	{ "mei",
	  "mei_pci_cfg_read mei_reg_read mei_reg_write" },
	{ "memcg",
	  "count_memcg_events memcg_flush_stats mod_memcg_lruvec_state mod_memcg_state" },
	{ "migrate",
	  "mm_migrate_pages mm_migrate_pages_start mm_numa_migrate_ratelimit remove_migration_pte set_migration_pte" },
	{ "mmap",
	  "exit_mmap vm_unmapped_area" },
	{ "mmap_lock",
	  "mmap_lock_acquire_returned mmap_lock_released mmap_lock_start_locking" },
	{ "mptcp",
	  "ack_update_msk get_mapping_status mptcp_sendmsg_frag mptcp_subflow_get_send subflow_check_data_avail" },
	{ "msr",
	  "rdpmc read_msr write_msr" },
	{ "napi",
	  "dql_stall_detected napi_poll" },
	{ "neigh",
	  "neigh_cleanup_and_release neigh_create neigh_event_send_dead neigh_event_send_done neigh_timer_handler "
	  "neigh_update neigh_update_done" },
	{ "net",
	  "napi_gro_frags_entry napi_gro_frags_exit napi_gro_receive_entry napi_gro_receive_exit net_dev_queue "
	  "net_dev_start_xmit net_dev_xmit net_dev_xmit_timeout netif_receive_skb netif_receive_skb_entry "
	  "netif_receive_skb_exit netif_receive_skb_list_entry netif_receive_skb_list_exit netif_rx netif_rx_entry "
	  "netif_rx_exit netif_rx_ni_entry netif_rx_ni_exit" },
	{ "netlink",
	  "netlink_extack" },
	{ "nmi",
	  "nmi_handler" },
	{ "notifier",
	  "notifier_register notifier_run notifier_unregister" },
	{ "nvme",
	  "nvme_async_event nvme_complete_rq nvme_setup_cmd nvme_sq" },
	{ "oom",
	  "compact_retry finish_task_reaping mark_victim oom_score_adj_update reclaim_retry_zone skip_task_reaping "
	  "start_task_reaping wake_reaper" },
	{ "page_isolation",
	  "test_pages_isolated" },
	{ "page_pool",
	  "page_pool_release page_pool_state_hold page_pool_state_release page_pool_update_nid" },
	{ "pagefault",
	  "spf_pmd_changed spf_pte_lock spf_vma_access spf_vma_changed spf_vma_noanon spf_vma_notsup" },
	{ "pagemap",
	  "mm_lru_activate mm_lru_insertion" },
	{ "percpu",
	  "percpu_alloc_percpu percpu_alloc_percpu_fail percpu_create_chunk percpu_destroy_chunk percpu_free_percpu" },
	{ "power",
	  "clock_disable clock_enable clock_set_parent clock_set_rate clock_set_rate_complete clock_state "
	  "cpu_frequency cpu_frequency_limits cpu_idle cpu_idle_miss dev_pm_qos_add_request "
	  "dev_pm_qos_remove_request dev_pm_qos_update_request device_pm_callback_end device_pm_callback_start "
	  "gpu_frequency guest_halt_poll_ns machine_suspend pm_qos_add_request pm_qos_remove_request "
	  "pm_qos_update_flags pm_qos_update_request pm_qos_update_target power_domain_target power_end "
	  "power_frequency power_start powernv_throttle pstate_sample set_max_cpus single_cycle_exit_timer_start "
	  "single_cycle_exit_timer_stop single_mode_timeout suspend_resume track_iowait wakeup_source_activate "
	  "wakeup_source_deactivate" },
	{ "preemptirq",
	  "irq_disable irq_enable preempt_disable preempt_enable" },
	{ "printk",
	  "console" },
	{ "pwm",
	  "pwm_apply pwm_get" },
	{ "qdisc",
	  "qdisc_create qdisc_dequeue qdisc_destroy qdisc_enqueue qdisc_reset" },
	{ "random",
	  "add_device_randomness add_disk_randomness add_input_randomness credit_entropy_bits debit_entropy "
	  "extract_entropy extract_entropy_user get_random_bytes get_random_bytes_arch mix_pool_bytes "
	  "mix_pool_bytes_nolock prandom_u32 push_to_pool random_read urandom_read xfer_secondary_pool" },
	{ "ras",
	  "aer_event arm_event extlog_mem_event mc_event memory_failure_event non_standard_event" },
	{ "raw_syscalls",
	  "sys_enter sys_exit" },
	{ "rcu",
	  "rcu_barrier rcu_batch_end rcu_batch_start rcu_callback rcu_dyntick rcu_exp_funnel_lock "
	  "rcu_exp_grace_period rcu_fqs rcu_future_grace_period rcu_grace_period rcu_grace_period_init "
	  "rcu_invoke_callback rcu_invoke_kfree_bulk_callback rcu_invoke_kvfree_callback rcu_kvfree_callback "
	  "rcu_nocb_wake rcu_preempt_task rcu_quiescent_state_report rcu_stall_warning rcu_torture_read "
	  "rcu_unlock_preempted_task rcu_utilization" },
	{ "readahead",
	  "page_cache_async_ra page_cache_ra_order page_cache_ra_unbounded page_cache_sync_ra" },
	{ "regmap",
	  "regcache_drop_region regcache_sync regmap_async_complete_done regmap_async_complete_start "
	  "regmap_async_io_complete regmap_async_write_start regmap_cache_bypass regmap_cache_only "
	  "regmap_hw_read_done regmap_hw_read_start regmap_hw_write_done regmap_hw_write_start regmap_reg_read "
	  "regmap_reg_read_cache regmap_reg_write" },
	{ "regulator",
	  "regulator_bypass_disable regulator_bypass_disable_complete regulator_bypass_enable "
	  "regulator_bypass_enable_complete regulator_disable regulator_disable_complete regulator_enable "
	  "regulator_enable_complete regulator_enable_delay regulator_set_voltage regulator_set_voltage_complete" },
	{ "rpm",
	  "rpm_idle rpm_resume rpm_return_int rpm_status rpm_suspend rpm_usage" },
	{ "rseq",
	  "rseq_ip_fixup rseq_update" },
	{ "rtc",
	  "rtc_alarm_irq_enable rtc_irq_set_freq rtc_irq_set_state rtc_read_alarm rtc_read_offset rtc_read_time "
	  "rtc_set_alarm rtc_set_offset rtc_set_time rtc_timer_dequeue rtc_timer_enqueue rtc_timer_fired" },
	{ "sched",
	  "sched_blocked_reason sched_kthread_stop sched_kthread_stop_ret sched_kthread_work_execute_end "
	  "sched_kthread_work_execute_start sched_kthread_work_queue_work sched_migrate_task sched_move_numa "
	  "sched_overutilized_tp sched_pelt_cfs sched_pelt_dl sched_pelt_irq sched_pelt_rt sched_pelt_se "
	  "sched_pi_setprio sched_prepare_exec sched_process_exec sched_process_exit sched_process_fork "
	  "sched_process_free sched_process_hang sched_process_wait sched_rt_cpu_util sched_select_task_rq_rt "
	  "sched_setscheduler_uclamp sched_skip_cpuset_numa sched_skip_vma_numa sched_stat_blocked "
	  "sched_stat_iowait sched_stat_runtime sched_stat_sleep sched_stat_wait sched_stick_numa sched_swap_numa "
	  "sched_switch sched_util_est_cfs sched_util_est_se sched_wait_task sched_wake_idle_without_ipi "
	  "sched_wakeup sched_wakeup_new sched_waking schedutil_cpu_util_clamp walt_update_history "
	  "walt_update_task_ravg" },
	{ "scsi",
	  "scsi_dispatch_cmd_done scsi_dispatch_cmd_error scsi_dispatch_cmd_start scsi_dispatch_cmd_timeout "
	  "scsi_eh_wakeup" },
	{ "signal",
	  "signal_deliver signal_generate" },
	{ "skb",
	  "consume_skb kfree_skb print_skb_gso skb_copy_datagram_iovec" },
	{ "smbus",
	  "smbus_read smbus_reply smbus_result smbus_write" },
	{ "sock",
	  "inet_sk_error_report inet_sock_set_state sk_data_ready sock_exceed_buf_limit sock_rcvqueue_full "
	  "sock_recv_length sock_send_length" },
	{ "spi",
	  "spi_controller_busy spi_controller_idle spi_master_busy spi_master_idle spi_message_done "
	  "spi_message_start spi_message_submit spi_transfer_start spi_transfer_stop" },
	{ "swiotlb",
	  "swiotlb_bounced" },
	{ "task",
	  "task_newtask task_prctl_unknown task_rename" },
	{ "tcp",
	  "tcp_ao_handshake_failure tcp_bad_csum tcp_cong_state_set tcp_destroy_sock tcp_hash_ao_required "
	  "tcp_hash_bad_header tcp_hash_md5_mismatch tcp_hash_md5_required tcp_hash_md5_unexpected tcp_probe "
	  "tcp_rcv_space_adjust tcp_rcvbuf_grow tcp_receive_reset tcp_retransmit_skb tcp_retransmit_synack "
	  "tcp_send_reset tcp_sendmsg_locked" },
	{ "thermal",
	  "cdev_update thermal_power_cpu_get_power thermal_power_cpu_limit thermal_power_devfreq_get_power "
	  "thermal_power_devfreq_limit thermal_temperature thermal_zone_trip" },
	{ "thp",
	  "remove_migration_pmd set_migration_pmd" },
	{ "timer",
	  "hrtimer_cancel hrtimer_expire_entry hrtimer_expire_exit hrtimer_init hrtimer_setup hrtimer_start "
	  "itimer_expire itimer_state tick_stop timer_base_idle timer_cancel timer_expire_entry timer_expire_exit "
	  "timer_init timer_start" },
	{ "timer_migration",
	  "tmigr_connect_child_parent tmigr_connect_cpu_parent tmigr_cpu_active tmigr_cpu_idle tmigr_cpu_new_timer "
	  "tmigr_cpu_new_timer_idle tmigr_cpu_offline tmigr_cpu_online tmigr_group_set tmigr_group_set_cpu_active "
	  "tmigr_group_set_cpu_inactive tmigr_handle_remote tmigr_handle_remote_cpu tmigr_update_events" },
	{ "timestamp",
	  "ctime_ns_xchg ctime_xchg_skip fill_mg_cmtime inode_set_ctime_to_ts" },
	{ "tlb",
	  "tlb_flush" },
	{ "udp",
	  "udp_fail_queue_rcv_skb" },
	{ "ufs",
	  "ufshcd_auto_bkops_state ufshcd_clk_gating ufshcd_clk_scaling ufshcd_command ufshcd_hibern8_on_idle "
	  "ufshcd_init ufshcd_profile_clk_gating ufshcd_profile_clk_scaling ufshcd_profile_hibern8 "
	  "ufshcd_runtime_resume ufshcd_runtime_suspend ufshcd_system_resume ufshcd_system_suspend "
	  "ufshcd_uic_command ufshcd_upiu" },
	{ "v4l2",
	  "v4l2_dqbuf v4l2_qbuf vb2_v4l2_buf_done vb2_v4l2_buf_queue vb2_v4l2_dqbuf vb2_v4l2_qbuf" },
	{ "vb2",
	  "vb2_buf_done vb2_buf_queue vb2_dqbuf vb2_qbuf" },
	{ "vmalloc",
	  "alloc_vmap_area free_vmap_area_noflush purge_vmap_area_lazy" },
	{ "vmscan",
	  "disable_swap_token mm_shrink_slab_end mm_shrink_slab_start mm_vmscan_direct_reclaim_begin "
	  "mm_vmscan_direct_reclaim_end mm_vmscan_inactive_list_is_low mm_vmscan_kswapd_sleep mm_vmscan_kswapd_wake "
	  "mm_vmscan_lru_isolate mm_vmscan_lru_shrink_active mm_vmscan_lru_shrink_inactive mm_vmscan_memcg_isolate "
	  "mm_vmscan_memcg_reclaim_begin mm_vmscan_memcg_reclaim_end mm_vmscan_memcg_softlimit_reclaim_begin "
	  "mm_vmscan_memcg_softlimit_reclaim_end mm_vmscan_node_reclaim_begin mm_vmscan_node_reclaim_end "
	  "mm_vmscan_reclaim_pages mm_vmscan_throttled mm_vmscan_wakeup_kswapd mm_vmscan_write_folio "
	  "mm_vmscan_writepage replace_swap_token update_swap_token_priority" },
	{ "vsock",
	  "virtio_transport_alloc_pkt virtio_transport_recv_pkt" },
	{ "vsyscall",
	  "emulate_vsyscall" },
	{ "watchdog",
	  "watchdog_ping watchdog_set_timeout watchdog_start watchdog_stop" },
	{ "wbt",
	  "wbt_lat wbt_stat wbt_step wbt_timer" },
	{ "workqueue",
	  "workqueue_activate_work workqueue_execute_end workqueue_execute_start workqueue_queue_work" },
	{ "writeback",
	  "balance_dirty_pages bdi_dirty_ratelimit flush_foreign folio_wait_writeback global_dirty_state "
	  "inode_foreign_history inode_switch_wbs inode_switch_wbs_queue sb_clear_inode_writeback "
	  "sb_mark_inode_writeback track_foreign_dirty wait_on_page_writeback wbc_writepage writeback_bdi_register "
	  "writeback_bdi_unregister writeback_dirty_folio writeback_dirty_inode writeback_dirty_inode_enqueue "
	  "writeback_dirty_inode_start writeback_dirty_page writeback_exec writeback_lazytime "
	  "writeback_lazytime_iput writeback_mark_inode_dirty writeback_nothread writeback_nowork "
	  "writeback_pages_written writeback_queue writeback_queue_io writeback_sb_inodes_requeue "
	  "writeback_single_inode writeback_single_inode_requeue writeback_single_inode_start writeback_start "
	  "writeback_thread_start writeback_thread_stop writeback_wait writeback_wait_iff_congested "
	  "writeback_wake_background writeback_wake_forker_thread writeback_wake_thread writeback_write_inode "
	  "writeback_write_inode_start writeback_written" },
	{ "x86_fpu",
	  "x86_fpu_after_save x86_fpu_before_save x86_fpu_copy_dst x86_fpu_dropped x86_fpu_regs_activated "
	  "x86_fpu_regs_deactivated x86_fpu_xstate_check_failed" },
	{ "xdp",
	  "bpf_xdp_link_attach_failed mem_connect mem_disconnect mem_return_failed xdp_bulk_tx xdp_cpumap_enqueue "
	  "xdp_cpumap_kthread xdp_devmap_xmit xdp_exception xdp_redirect xdp_redirect_err xdp_redirect_map "
	  "xdp_redirect_map_err" },
	{ "xfs",
	  "xfs_ag_resv_alloc_extent xfs_ag_resv_critical xfs_ag_resv_free xfs_ag_resv_free_extent xfs_ag_resv_init "
	  "xfs_ag_resv_init_error xfs_ag_resv_needed xfs_agf xfs_agfl_free_deferred xfs_agfl_reset xfs_ail_delete "
	  "xfs_ail_flushing xfs_ail_insert xfs_ail_locked xfs_ail_move xfs_ail_pinned xfs_ail_push xfs_alloc_cur "
	  "xfs_alloc_cur_check xfs_alloc_cur_left xfs_alloc_cur_lookup xfs_alloc_cur_lookup_done "
	  "xfs_alloc_cur_right xfs_alloc_exact_done xfs_alloc_exact_error xfs_alloc_exact_notfound "
	  "xfs_alloc_file_space xfs_alloc_near_busy xfs_alloc_near_first xfs_alloc_near_noentry xfs_alloc_read_agf "
	  "xfs_alloc_size_busy xfs_alloc_size_done xfs_alloc_size_error xfs_alloc_size_neither "
	  "xfs_alloc_size_noentry xfs_alloc_size_nominleft xfs_alloc_small_done xfs_alloc_small_error "
	  "xfs_alloc_small_freelist xfs_alloc_small_notenough xfs_alloc_vextent_allfailed xfs_alloc_vextent_badargs "
	  "xfs_alloc_vextent_exact_bno xfs_alloc_vextent_finish xfs_alloc_vextent_first_ag "
	  "xfs_alloc_vextent_loopfailed xfs_alloc_vextent_near_bno xfs_alloc_vextent_noagbp xfs_alloc_vextent_nofix "
	  "xfs_alloc_vextent_skip_deadlock xfs_alloc_vextent_start_ag xfs_alloc_vextent_this_ag xfs_attr_defer_add "
	  "xfs_attr_leaf_add xfs_attr_leaf_add_new xfs_attr_leaf_add_old xfs_attr_leaf_add_work "
	  "xfs_attr_leaf_addname_return xfs_attr_leaf_clearflag xfs_attr_leaf_compact xfs_attr_leaf_create "
	  "xfs_attr_leaf_flipflags xfs_attr_leaf_get xfs_attr_leaf_list xfs_attr_leaf_lookup "
	  "xfs_attr_leaf_rebalance xfs_attr_leaf_remove xfs_attr_leaf_removename xfs_attr_leaf_replace "
	  "xfs_attr_leaf_setflag xfs_attr_leaf_split xfs_attr_leaf_split_after xfs_attr_leaf_split_before "
	  "xfs_attr_leaf_to_node xfs_attr_leaf_to_sf xfs_attr_leaf_toosmall xfs_attr_leaf_unbalance "
	  "xfs_attr_list_add xfs_attr_list_full xfs_attr_list_leaf xfs_attr_list_leaf_end "
	  "xfs_attr_list_node_descend xfs_attr_list_notfound xfs_attr_list_sf xfs_attr_list_sf_all "
	  "xfs_attr_list_wrong_blk xfs_attr_node_addname xfs_attr_node_addname_return xfs_attr_node_get "
	  "xfs_attr_node_list xfs_attr_node_replace xfs_attr_rmtval_alloc xfs_attr_rmtval_get "
	  "xfs_attr_rmtval_remove_return xfs_attr_set_iter_return xfs_attr_sf_add xfs_attr_sf_addname "
	  "xfs_attr_sf_addname_return xfs_attr_sf_create xfs_attr_sf_lookup xfs_attr_sf_remove xfs_attr_sf_to_leaf "
	  "xfs_blockgc_flush_all xfs_blockgc_free_space xfs_blockgc_start xfs_blockgc_stop xfs_blockgc_worker "
	  "xfs_bmap_defer xfs_bmap_deferred xfs_bmap_post_update xfs_bmap_pre_update xfs_btree_alloc_block "
	  "xfs_btree_bload_block xfs_btree_bload_level_geometry xfs_btree_commit_afakeroot "
	  "xfs_btree_commit_ifakeroot xfs_btree_corrupt xfs_btree_free_block xfs_btree_overlapped_query_range "
	  "xfs_btree_updkeys xfs_buf_backing_fallback xfs_buf_backing_folio xfs_buf_backing_kmem "
	  "xfs_buf_backing_vmalloc xfs_buf_delwri_queue xfs_buf_delwri_queued xfs_buf_delwri_split "
	  "xfs_buf_drain_buftarg xfs_buf_error_relse xfs_buf_find xfs_buf_free xfs_buf_get xfs_buf_get_uncached "
	  "xfs_buf_hold xfs_buf_init xfs_buf_iodone xfs_buf_iodone_async xfs_buf_ioerror xfs_buf_iowait "
	  "xfs_buf_iowait_done xfs_buf_item_committed xfs_buf_item_format xfs_buf_item_format_stale "
	  "xfs_buf_item_ordered xfs_buf_item_pin xfs_buf_item_push xfs_buf_item_release xfs_buf_item_relse "
	  "xfs_buf_item_size xfs_buf_item_size_ordered xfs_buf_item_size_stale xfs_buf_item_unpin "
	  "xfs_buf_item_unpin_stale xfs_buf_lock xfs_buf_lock_done xfs_buf_read xfs_buf_readahead xfs_buf_rele "
	  "xfs_buf_submit xfs_buf_trylock xfs_buf_trylock_fail xfs_buf_unlock xfs_bunmap "
	  "xfs_calc_atomic_write_unit_max xfs_calc_max_atomic_write_fsblocks xfs_calc_max_atomic_write_log_geometry "
	  "xfs_check_new_dalign xfs_cil_whiteout_mark xfs_cil_whiteout_skip xfs_cil_whiteout_unpin "
	  "xfs_collapse_file_space xfs_create xfs_da_fixhashpath xfs_da_grow_inode xfs_da_join xfs_da_link_after "
	  "xfs_da_link_before xfs_da_node_add xfs_da_node_create xfs_da_node_rebalance xfs_da_node_remove "
	  "xfs_da_node_split xfs_da_node_toosmall xfs_da_node_unbalance xfs_da_path_shift" },
	{ "xfs",
	  "xfs_da_root_join xfs_da_root_split xfs_da_shrink_inode xfs_da_split xfs_da_swap_lastblock "
	  "xfs_da_unlink_back xfs_da_unlink_forward xfs_defer_add_item xfs_defer_cancel xfs_defer_cancel_item "
	  "xfs_defer_cancel_list xfs_defer_create_intent xfs_defer_finish xfs_defer_finish_done "
	  "xfs_defer_finish_error xfs_defer_finish_item xfs_defer_isolate_paused xfs_defer_item_pause "
	  "xfs_defer_item_unpause xfs_defer_pending_abort xfs_defer_pending_finish xfs_defer_relog_intent "
	  "xfs_defer_trans_abort xfs_defer_trans_roll xfs_defer_trans_roll_error xfs_delalloc_enospc "
	  "xfs_destroy_inode xfs_dir2_block_addname xfs_dir2_block_lookup xfs_dir2_block_removename "
	  "xfs_dir2_block_replace xfs_dir2_block_to_leaf xfs_dir2_block_to_sf xfs_dir2_grow_inode "
	  "xfs_dir2_leaf_addname xfs_dir2_leaf_lookup xfs_dir2_leaf_removename xfs_dir2_leaf_replace "
	  "xfs_dir2_leaf_to_block xfs_dir2_leaf_to_node xfs_dir2_leafn_add xfs_dir2_leafn_moveents "
	  "xfs_dir2_leafn_remove xfs_dir2_node_addname xfs_dir2_node_lookup xfs_dir2_node_removename "
	  "xfs_dir2_node_replace xfs_dir2_node_to_leaf xfs_dir2_sf_addname xfs_dir2_sf_create xfs_dir2_sf_lookup "
	  "xfs_dir2_sf_removename xfs_dir2_sf_replace xfs_dir2_sf_to_block xfs_dir2_sf_toino4 xfs_dir2_sf_toino8 "
	  "xfs_dir2_shrink_inode xfs_dir_fsync xfs_discard_busy xfs_discard_exclude xfs_discard_extent "
	  "xfs_discard_rtextent xfs_discard_rttoosmall xfs_discard_toosmall xfs_dqadjust xfs_dqalloc "
	  "xfs_dqattach_found xfs_dqattach_get xfs_dqflush xfs_dqflush_done xfs_dqflush_force xfs_dqget_dup "
	  "xfs_dqget_freeing xfs_dqget_hit xfs_dqget_miss xfs_dqput xfs_dqput_free xfs_dqread xfs_dqread_fail "
	  "xfs_dqreclaim_busy xfs_dqreclaim_done xfs_dqreclaim_want xfs_dqrele xfs_dqtobp_read xfs_dquot_dqalloc "
	  "xfs_dquot_dqdetach xfs_end_io_direct_write xfs_exchmaps_defer xfs_exchmaps_delta_nextents "
	  "xfs_exchmaps_delta_nextents_step xfs_exchmaps_final_estimate xfs_exchmaps_initial_estimate "
	  "xfs_exchmaps_mapping1 xfs_exchmaps_mapping1_skip xfs_exchmaps_mapping2 xfs_exchmaps_overhead "
	  "xfs_exchmaps_recover xfs_exchmaps_update_inode_size xfs_exchrange_after xfs_exchrange_before "
	  "xfs_exchrange_error xfs_exchrange_flush xfs_exchrange_freshness xfs_exchrange_mappings "
	  "xfs_exchrange_prep xfs_extent_busy xfs_extent_busy_clear xfs_extent_busy_force xfs_extent_busy_reuse "
	  "xfs_extent_busy_trim xfs_extent_free_defer xfs_extent_free_deferred xfs_file_buffered_read "
	  "xfs_file_buffered_write xfs_file_compat_ioctl xfs_file_dax_read xfs_file_dax_write xfs_file_direct_read "
	  "xfs_file_direct_write xfs_file_fsync xfs_file_ioctl xfs_file_splice_read xfs_filestream_free "
	  "xfs_filestream_lookup xfs_filestream_pick xfs_filestream_scan xfs_force_shutdown xfs_free_extent "
	  "xfs_free_file_space xfs_freecounter_enospc xfs_freecounter_reserved xfs_fs_mark_corrupt "
	  "xfs_fs_mark_healthy xfs_fs_mark_sick xfs_fs_sync_fs xfs_fs_unfixed_corruption xfs_fsmap_high_group_key "
	  "xfs_fsmap_high_linear_key xfs_fsmap_low_group_key xfs_fsmap_low_linear_key xfs_fsmap_mapping xfs_get_acl "
	  "xfs_getattr xfs_getfsmap_high_key xfs_getfsmap_low_key xfs_getfsmap_mapping xfs_getparents_begin "
	  "xfs_getparents_end xfs_getparents_expand_lastrec xfs_getparents_put_listent xfs_group_get xfs_group_grab "
	  "xfs_group_grab_next_tag xfs_group_hold xfs_group_mark_corrupt xfs_group_mark_healthy xfs_group_mark_sick "
	  "xfs_group_put xfs_group_rele xfs_group_unfixed_corruption xfs_ialloc_read_agi xfs_iext_insert "
	  "xfs_iext_remove xfs_iget_hit xfs_iget_miss xfs_iget_recycle xfs_iget_recycle_fail xfs_iget_skip "
	  "xfs_ilock xfs_ilock_demote xfs_ilock_nowait xfs_inactive_symlink xfs_inode_clear_cowblocks_tag "
	  "xfs_inode_clear_eofblocks_tag xfs_inode_free_cowblocks_invalid xfs_inode_free_eofblocks_invalid "
	  "xfs_inode_inactivating xfs_inode_mark_corrupt xfs_inode_mark_healthy xfs_inode_mark_sick xfs_inode_pin "
	  "xfs_inode_push_pinned xfs_inode_push_stale xfs_inode_reclaiming xfs_inode_reload_unlinked_bucket "
	  "xfs_inode_set_cowblocks_tag xfs_inode_set_eofblocks_tag xfs_inode_set_need_inactive" },
	{ "xfs",
	  "xfs_inode_set_reclaimable xfs_inode_timestamp_range xfs_inode_unfixed_corruption xfs_inode_unpin "
	  "xfs_inode_unpin_nowait xfs_inodegc_flush xfs_inodegc_push xfs_inodegc_queue xfs_inodegc_shrinker_scan "
	  "xfs_inodegc_start xfs_inodegc_stop xfs_inodegc_throttle xfs_inodegc_worker xfs_insert_file_space "
	  "xfs_ioc_free_eofblocks xfs_ioctl_setattr xfs_iomap_alloc xfs_iomap_atomic_write_cow xfs_iomap_found "
	  "xfs_iomap_invalid xfs_iomap_prealloc_size xfs_irec_merge_post xfs_irec_merge_pre xfs_irele "
	  "xfs_itruncate_extents_end xfs_itruncate_extents_start xfs_iunlink xfs_iunlink_reload_next "
	  "xfs_iunlink_remove xfs_iunlink_update_bucket xfs_iunlink_update_dinode xfs_iunlock xfs_iwalk_ag_rec "
	  "xfs_link xfs_log_assign_tail_lsn xfs_log_cil_wait xfs_log_force xfs_log_get_max_trans_res "
	  "xfs_log_grant_sleep xfs_log_grant_wake xfs_log_grant_wake_up xfs_log_recover xfs_log_recover_buf_cancel "
	  "xfs_log_recover_buf_cancel_add xfs_log_recover_buf_cancel_ref_inc xfs_log_recover_buf_dquot_buf "
	  "xfs_log_recover_buf_inode_buf xfs_log_recover_buf_not_cancel xfs_log_recover_buf_recover "
	  "xfs_log_recover_buf_reg_buf xfs_log_recover_buf_skip xfs_log_recover_icreate_cancel "
	  "xfs_log_recover_icreate_recover xfs_log_recover_inode_cancel xfs_log_recover_inode_recover "
	  "xfs_log_recover_inode_skip xfs_log_recover_item_add xfs_log_recover_item_add_cont "
	  "xfs_log_recover_item_recover xfs_log_recover_item_reorder_head xfs_log_recover_item_reorder_tail "
	  "xfs_log_recover_record xfs_log_regrant xfs_log_regrant_exit xfs_log_reserve xfs_log_reserve_exit "
	  "xfs_log_ticket_regrant xfs_log_ticket_regrant_exit xfs_log_ticket_regrant_sub xfs_log_ticket_ungrant "
	  "xfs_log_ticket_ungrant_exit xfs_log_ticket_ungrant_sub xfs_log_umount_write xfs_lookup "
	  "xfs_map_blocks_alloc xfs_map_blocks_found xfs_metadir_cancel xfs_metadir_commit xfs_metadir_create "
	  "xfs_metadir_link xfs_metadir_lookup xfs_metadir_start_create xfs_metadir_start_link xfs_metadir_teardown "
	  "xfs_metadir_try_create xfs_metafile_resv_alloc_space xfs_metafile_resv_critical xfs_metafile_resv_free "
	  "xfs_metafile_resv_free_space xfs_metafile_resv_init xfs_metafile_resv_init_error "
	  "xfs_perag_clear_inode_tag xfs_perag_set_inode_tag xfs_pwork_init xfs_quota_expiry_range xfs_read_agf "
	  "xfs_read_agi xfs_read_extent xfs_read_fault xfs_readdir xfs_readlink xfs_reclaim_inodes_count "
	  "xfs_refcount_adjust_cow_error xfs_refcount_adjust_error xfs_refcount_cow_decrease "
	  "xfs_refcount_cow_increase xfs_refcount_decrease xfs_refcount_defer xfs_refcount_deferred "
	  "xfs_refcount_delete xfs_refcount_delete_error xfs_refcount_find_left_extent "
	  "xfs_refcount_find_left_extent_error xfs_refcount_find_right_extent xfs_refcount_find_right_extent_error "
	  "xfs_refcount_find_shared xfs_refcount_find_shared_error xfs_refcount_find_shared_result "
	  "xfs_refcount_finish_one_leftover xfs_refcount_get xfs_refcount_increase xfs_refcount_insert "
	  "xfs_refcount_insert_error xfs_refcount_lookup xfs_refcount_merge_center_extents "
	  "xfs_refcount_merge_center_extents_error xfs_refcount_merge_left_extent "
	  "xfs_refcount_merge_left_extent_error xfs_refcount_merge_right_extent "
	  "xfs_refcount_merge_right_extent_error xfs_refcount_modify_extent xfs_refcount_modify_extent_error "
	  "xfs_refcount_split_extent xfs_refcount_split_extent_error xfs_refcount_update xfs_refcount_update_error "
	  "xfs_reflink_bounce_dio_write xfs_reflink_cancel_cow xfs_reflink_cancel_cow_range "
	  "xfs_reflink_cancel_cow_range_error xfs_reflink_convert_cow xfs_reflink_cow_found "
	  "xfs_reflink_cow_remap_from xfs_reflink_cow_remap_skip xfs_reflink_cow_remap_to xfs_reflink_end_cow "
	  "xfs_reflink_end_cow_error xfs_reflink_remap_blocks xfs_reflink_remap_blocks_error "
	  "xfs_reflink_remap_extent_dest xfs_reflink_remap_extent_error xfs_reflink_remap_extent_src "
	  "xfs_reflink_remap_range xfs_reflink_remap_range_error xfs_reflink_set_inode_flag "
	  "xfs_reflink_set_inode_flag_error xfs_reflink_trim_around_shared xfs_reflink_unset_inode_flag "
	  "xfs_reflink_unshare xfs_reflink_unshare_error" },
	{ "xfs",
	  "xfs_reflink_update_inode_size xfs_reflink_update_inode_size_error xfs_remove xfs_rename "
	  "xfs_reset_dqcounts xfs_rmap_convert xfs_rmap_convert_done xfs_rmap_convert_error xfs_rmap_convert_state "
	  "xfs_rmap_defer xfs_rmap_deferred xfs_rmap_delete xfs_rmap_delete_error "
	  "xfs_rmap_find_left_neighbor_candidate xfs_rmap_find_left_neighbor_query "
	  "xfs_rmap_find_left_neighbor_result xfs_rmap_find_right_neighbor_result xfs_rmap_insert "
	  "xfs_rmap_insert_error xfs_rmap_lookup_le_range xfs_rmap_lookup_le_range_candidate "
	  "xfs_rmap_lookup_le_range_result xfs_rmap_map xfs_rmap_map_done xfs_rmap_map_error xfs_rmap_unmap "
	  "xfs_rmap_unmap_done xfs_rmap_unmap_error xfs_rmap_update xfs_rmap_update_error xfs_setattr "
	  "xfs_setfilesize xfs_swap_extent_after xfs_swap_extent_before xfs_swap_extent_rmap_error "
	  "xfs_swap_extent_rmap_remap xfs_swap_extent_rmap_remap_piece xfs_symlink xfs_trans_add_item "
	  "xfs_trans_alloc xfs_trans_apply_dquot_deltas xfs_trans_apply_dquot_deltas_after "
	  "xfs_trans_apply_dquot_deltas_before xfs_trans_bdetach xfs_trans_bhold xfs_trans_bhold_release "
	  "xfs_trans_binval xfs_trans_bjoin xfs_trans_brelse xfs_trans_cancel xfs_trans_commit "
	  "xfs_trans_commit_items xfs_trans_dup xfs_trans_free xfs_trans_free_abort xfs_trans_free_items "
	  "xfs_trans_get_buf xfs_trans_get_buf_recur xfs_trans_getsb xfs_trans_getsb_recur xfs_trans_log_buf "
	  "xfs_trans_mod_dquot xfs_trans_mod_dquot_after xfs_trans_mod_dquot_before xfs_trans_read_buf "
	  "xfs_trans_read_buf_recur xfs_trans_read_buf_shut xfs_trans_resv_calc xfs_trans_resv_calc_minlogsize "
	  "xfs_trans_roll xfs_unwritten_convert xfs_update_time xfs_vm_bmap xfs_wb_cow_iomap_invalid "
	  "xfs_wb_data_iomap_invalid xfs_write_extent xfs_write_fault xfs_zero_eof xfs_zero_file_space "
	  "xfs_zoned_map_blocks xlog_ail_insert_abort xlog_iclog_activate xlog_iclog_callback "
	  "xlog_iclog_callbacks_done xlog_iclog_callbacks_start xlog_iclog_clean xlog_iclog_force "
	  "xlog_iclog_force_lsn xlog_iclog_get_space xlog_iclog_release xlog_iclog_switch xlog_iclog_sync "
	  "xlog_iclog_sync_done xlog_iclog_syncing xlog_iclog_wait_on xlog_iclog_write xlog_intent_recovery_failed" },
	{ "xhci-hcd",
	  "xhci_add_endpoint xhci_address_ctrl_ctx xhci_address_ctx xhci_alloc_dev xhci_alloc_virt_device "
	  "xhci_cmd_completion xhci_configure_endpoint xhci_configure_endpoint_ctrl_ctx xhci_dbc_alloc_request "
	  "xhci_dbc_free_request xhci_dbc_gadget_ep_queue xhci_dbc_giveback_request xhci_dbc_handle_event "
	  "xhci_dbc_handle_transfer xhci_dbc_queue_request xhci_dbg_address xhci_dbg_cancel_urb "
	  "xhci_dbg_context_change xhci_dbg_init xhci_dbg_quirks xhci_dbg_reset_ep xhci_dbg_ring_expansion "
	  "xhci_discover_or_reset_device xhci_free_dev xhci_free_virt_device xhci_get_port_status "
	  "xhci_handle_cmd_addr_dev xhci_handle_cmd_config_ep xhci_handle_cmd_disable_slot "
	  "xhci_handle_cmd_reset_dev xhci_handle_cmd_reset_ep xhci_handle_cmd_set_deq xhci_handle_cmd_set_deq_ep "
	  "xhci_handle_cmd_stop_ep xhci_handle_command xhci_handle_event xhci_handle_port_status "
	  "xhci_handle_transfer xhci_hub_status_data xhci_inc_deq xhci_inc_enq xhci_queue_trb xhci_ring_alloc "
	  "xhci_ring_ep_doorbell xhci_ring_expansion xhci_ring_free xhci_ring_host_doorbell "
	  "xhci_setup_addressable_virt_device xhci_setup_device xhci_setup_device_slot xhci_stop_device "
	  "xhci_urb_dequeue xhci_urb_enqueue xhci_urb_giveback" },
};

/* Names of syscalls; each is an event with the prefix sys_enter_ and one with sys_exit_. */
static const struct system calls[] = {
	{ "syscalls",
	  "_llseek _newselect _sysctl accept accept4 access acct add_key adjtimex afs_syscall alarm arch_prctl "
	  "bdflush bind bpf break brk cachestat capget capset chdir chmod chown chown32 chroot clock_adjtime "
	  "clock_adjtime64 clock_getres clock_getres_time64 clock_gettime clock_gettime64 clock_nanosleep "
	  "clock_nanosleep_time64 clock_settime clock_settime64 clone clone3 close close_range connect "
	  "copy_file_range creat create_module delete_module dup dup2 dup3 epoll_create epoll_create1 epoll_ctl "
	  "epoll_ctl_old epoll_pwait epoll_pwait2 epoll_wait epoll_wait_old eventfd eventfd2 execve execveat exit "
	  "exit_group faccessat faccessat2 fadvise64 fadvise64_64 fallocate fanotify_init fanotify_mark fchdir "
	  "fchmod fchmodat fchmodat2 fchown fchown32 fchownat fcntl fcntl64 fdatasync fgetxattr file_getattr "
	  "file_setattr finit_module flistxattr flock fork fremovexattr fsconfig fsetxattr fsmount fsopen fspick "
	  "fstat fstat64 fstatat fstatat64 fstatfs fstatfs64 fsync ftime ftruncate ftruncate64 futex futex_requeue "
	  "futex_time64 futex_wait futex_waitv futex_wake futimesat get_kernel_syms get_mempolicy get_robust_list "
	  "get_thread_area getcpu getcwd getdents getdents64 getegid getegid32 geteuid geteuid32 getgid getgid32 "
	  "getgroups getgroups32 getitimer getpeername getpgid getpgrp getpid getpmsg getppid getpriority getrandom "
	  "getresgid getresgid32 getresuid getresuid32 getrlimit getrusage getsid getsockname getsockopt gettid "
	  "gettimeofday getuid getuid32 getxattr getxattrat gtty idle init_module inotify_add_watch inotify_init "
	  "inotify_init1 inotify_rm_watch io_cancel io_destroy io_getevents io_pgetevents io_pgetevents_time64 "
	  "io_setup io_submit io_uring_enter io_uring_register io_uring_setup ioctl ioperm iopl ioprio_get "
	  "ioprio_set ipc kcmp kexec_file_load kexec_load keyctl kill landlock_add_rule landlock_create_ruleset "
	  "landlock_restrict_self lchown lchown32 lgetxattr link linkat listen listmount listxattr listxattrat "
	  "llistxattr llseek lock lookup_dcookie lremovexattr lseek lsetxattr lsm_get_self_attr lsm_list_modules "
	  "lsm_set_self_attr lstat lstat64 madvise mbind membarrier memfd_create memfd_secret migrate_pages mincore "
	  "mkdir mkdirat mknod mknodat mlock mlock2 mlockall mmap mmap2 mmap_pgoff modify_ldt mount mount_setattr "
	  "move_mount move_pages mprotect mpx mq_getsetattr mq_notify mq_open mq_timedreceive "
	  "mq_timedreceive_time64 mq_timedsend mq_timedsend_time64 mq_unlink mremap mseal msgctl msgget msgrcv "
	  "msgsnd msync munlock munlockall munmap name_to_handle_at nanosleep newfstat newfstatat newlstat newstat "
	  "newuname nfsservctl nice oldfstat oldlstat oldolduname oldstat olduname open open_by_handle_at open_tree "
	  "open_tree_attr openat openat2 pause perf_event_open personality pidfd_getfd pidfd_open pidfd_send_signal "
	  "pipe pipe2 pivot_root pkey_alloc pkey_free pkey_mprotect poll ppoll ppoll_time64 prctl pread64 preadv "
	  "preadv2 prlimit64 process_madvise process_mrelease process_vm_readv process_vm_writev prof profil "
	  "pselect6 pselect6_time64 ptrace putpmsg pwrite64 pwritev pwritev2 query_module quotactl quotactl_fd read "
	  "readahead readdir readlink readlinkat readv reboot recvfrom recvmmsg recvmmsg_time64 recvmsg "
	  "remap_file_pages removexattr removexattrat rename renameat renameat2 request_key restart_syscall rmdir "
	  "rseq rt_sigaction rt_sigpending rt_sigprocmask rt_sigqueueinfo rt_sigreturn rt_sigsuspend "
	  "rt_sigtimedwait rt_sigtimedwait_time64 rt_tgsigqueueinfo sched_get_priority_max sched_get_priority_min "
	  "sched_getaffinity sched_getattr sched_getparam sched_getscheduler sched_rr_get_interval "
	  "sched_rr_get_interval_time64 sched_setaffinity sched_setattr sched_setparam sched_setscheduler "
	  "sched_yield seccomp security select semctl semget semop semtimedop semtimedop_time64 sendfile sendfile64 "
	  "sendmmsg sendmsg sendto set_mempolicy set_mempolicy_home_node set_robust_list set_thread_area "
	  "set_tid_address setdomainname setfsgid setfsgid32 setfsuid setfsuid32 setgid setgid32 setgroups "
	  "setgroups32" },
	{ "syscalls",
	  "sethostname setitimer setns setpgid setpriority setregid setregid32 setresgid setresgid32 setresuid "
	  "setresuid32 setreuid setreuid32 setrlimit setsid setsockopt settimeofday setuid setuid32 setxattr "
	  "setxattrat sgetmask shmat shmctl shmdt shmget shutdown sigaction sigaltstack signal signalfd signalfd4 "
	  "sigpending sigprocmask sigreturn sigsuspend socket socketcall socketpair splice ssetmask stat stat64 "
	  "statfs statfs64 statmount statx stime stty swapoff swapon symlink symlinkat sync sync_file_range "
	  "sync_file_range2 syncfs sysfs sysinfo syslog tee tgkill time timer_create timer_delete timer_getoverrun "
	  "timer_gettime timer_gettime64 timer_settime timer_settime64 timerfd_create timerfd_gettime "
	  "timerfd_gettime64 timerfd_settime timerfd_settime64 times tkill truncate truncate64 tuxcall ugetrlimit "
	  "ulimit umask umount umount2 uname unlink unlinkat unshare uprobe uretprobe uselib userfaultfd ustat "
	  "utime utimensat utimensat_time64 utimes vfork vhangup vm86 vm86old vmsplice vserver wait4 waitid waitpid "
	  "write writev" },
};

static bool has_word(const char *words, const char *word, size_t size)
{
	while (*words) {
		const size_t length = strcspn(words, " ");
		if (length == size && !memcmp(words, word, size))
			return true;
		words += length + (words[length] == ' ');
	}
	return false;
}

static bool is_listed(const struct system *rows, size_t count, struct perfdata_bytes system, const char *event,
		      size_t size)
{
	for (size_t i = 0; i < count; i++)
		if (strlen(rows[i].name) == system.size && !memcmp(rows[i].name, system.data, system.size) &&
		    has_word(rows[i].events, event, size))
			return true;
	return false;
}

bool pd_is_kernel_event(struct perfdata_bytes system, struct perfdata_bytes event)
{
	static const char *const edges[] = { "sys_enter_", "sys_exit_" };
	const char *name = (const char *)event.data;

	for (size_t i = 0; i < sizeof edges / sizeof *edges; i++) {
		const size_t edge = strlen(edges[i]);
		if (event.size > edge && !memcmp(name, edges[i], edge) &&
		    is_listed(calls, sizeof calls / sizeof *calls, system, name + edge, event.size - edge))
			return true;
	}
	return is_listed(systems, sizeof systems / sizeof *systems, system, name, event.size);
}
